/** In milliseconds. A timeout that is not set means no limit. */
export interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}

/**
 * The server's time limits, brought along by each transaction: to be added to the statement that begins it. Behind a
 * pooler no session is ours: what one sets there, others find. Undefined without limits.
 */
export function carriedLimits({ statement, lock, idleTransaction }: Patience): string | undefined {
  const limits = Object.entries({
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idleTransaction,
  }).filter(([, limit]) => limit !== undefined);
  if (limits.length === 0) return undefined;
  return limits.map(([name, limit]) => `; set local ${name} = ${limit}`).join('');
}
