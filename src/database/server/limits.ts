import { leading } from '../protocol/messages.js';

/** In milliseconds. A timeout that is not set means no limit. */
export interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}

/**
 * The server's time limits, brought along by each transaction. Behind a pooler no session is ours: what one sets
 * there, others find.
 */
export interface CarriedLimits {
  /** To be sent in front of a statement that is a transaction by itself. */
  ahead: Buffer;
  /** To be added to the statement that begins a transaction. */
  inTransaction: string;
}

/** Undefined without limits. */
export function carriedLimits({ statement, lock, idleTransaction }: Patience): CarriedLimits | undefined {
  const limits = Object.entries({
    statement_timeout: statement,
    lock_timeout: lock,
    idle_in_transaction_session_timeout: idleTransaction,
  }).filter(([, limit]) => limit !== undefined);
  if (limits.length === 0) return undefined;
  // No row is answered, and every limit is set: none of them is null.
  const isNull = limits.map(([name, limit]) => `set_config('${name}', '${limit}', true) is null`);
  return {
    ahead: leading(`select where ${isNull.join(' or ')}`),
    inTransaction: limits.map(([name, limit]) => `; set local ${name} = ${limit}`).join(''),
  };
}
