import pg from 'pg';
import { HAS_NO_TLS } from '../outcome.js';
import type { GuardSettings } from '../pool/guard.js';

export interface PoolSettings {
  /** Where requests go. */
  url: string;
  /** Whether that leads to a pooler in transaction mode: no setting and no name is then left on a connection. */
  isPooled?: boolean;
  patience: Patience;
}

/** Probes tell soon that there is no answer. */
export const impatient: Patience = { connection: 1_000, answer: 1_000 };

export const connectionOf = ({ url, isPooled = false, patience }: PoolSettings) =>
  (isPooled ? throughPooler : connectionTo)(url, patience);

/** A session of our own. */
export const connectionTo = (url: string, patience: Patience) => ({
  ...throughPooler(withOptions(url), patience),
  options: OPTIONS,
  statement_timeout: patience.statement,
  lock_timeout: patience.lock,
  idle_in_transaction_session_timeout: patience.idleTransaction,
});

/**
 * By its own settings a server compiles a statement that it takes for a long one, for seconds in which nothing can cancel
 * it. Days arrive as text. A pooler in transaction mode refuses the last options, so that a wrong address fails at the
 * start.
 */
const OPTIONS = '-c timezone=UTC -c datestyle=ISO -c jit=off -c statement_timeout=0';

/**
 * With `sslmode` as it is elsewhere, which our driver has another meaning for, and a warning on stderr. What libpq does
 * not know stays with the driver.
 */
function asElsewhere(url: string): string {
  const address = new URL(url);
  const mode = address.searchParams.get('sslmode');
  if (mode === null) return url;
  if (mode === 'no-verify') address.searchParams.delete('uselibpqcompat');
  else address.searchParams.set('uselibpqcompat', 'true');
  return address.href;
}

/**
 * Of `sslmode=prefer`, what the server makes of it: without TLS if it has none. Our driver would refuse. Decided once,
 * since a server that has TLS is not to lose it while the service runs.
 */
export async function preferred(url: string, patience: Patience): Promise<string> {
  const address = new URL(url);
  if (address.searchParams.get('sslmode') !== 'prefer') return url;
  const client = new pg.Client(throughPooler(url, patience));
  client.on('error', () => {});
  try {
    await client.connect();
    return url;
  } catch (error) {
    if (!HAS_NO_TLS.test((error as Error).message)) throw error;
    address.searchParams.set('sslmode', 'disable');
    return address.href;
  } finally {
    client.end().catch(() => {});
  }
}

/** Options in an address would take the place of ours. */
function withOptions(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  if (given === null) return url;
  address.searchParams.set('options', `${given} ${OPTIONS}`);
  return address.href;
}

/** Without settings of a session, which poolers refuse: it belongs to all of their clients. */
const throughPooler = (url: string, patience: Patience) => ({
  connectionString: asElsewhere(url), // MikroORM parses the URL itself and drops parameters like sslmode
  fallback_application_name: 'steady', // unless the operator gives a name
  keepAlive: true,
  connectionTimeoutMillis: patience.connection,
  query_timeout: patience.answer,
});

export function guardSettings(settings: PoolSettings): GuardSettings {
  const { answer = Infinity, statement = 0 } = settings.patience;
  return {
    // A statement that begins in time has ended on the server before the service stops waiting for its answer.
    startLimitMs: Math.min(answer - statement, DAY_MS),
    namesStatements: !settings.isPooled,
  };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Times in milliseconds. One that is not set means no limit. */
export interface Patience {
  connection: number;
  answer?: number;
  statement?: number;
  lock?: number;
  idleTransaction?: number;
}
