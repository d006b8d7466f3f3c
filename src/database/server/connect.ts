import type { GuardSettings } from '../pool/guard.js';

export interface PoolSettings {
  /** Where requests go. */
  url: string;
  /** The server itself: with another address than `url`, that one leads to a pooler in transaction mode. */
  directUrl?: string | undefined;
  patience: Patience;
}

/** Probes tell soon that there is no answer. */
export const impatient: Patience = { connection: 1_000, answer: 1_000 };

/** Connections are replaced after this time, and then the clocks are compared again. */
const CONNECTION_LIFETIME_SECONDS = 600;

export const isPooled = ({ url, directUrl = url }: Pick<PoolSettings, 'url' | 'directUrl'>) =>
  url !== directUrl;

export const connectionOf = (settings: Pick<PoolSettings, 'url' | 'directUrl' | 'patience'>) =>
  (isPooled(settings) ? throughPooler : connectionTo)(settings.url, settings.patience);

/** A session of our own. */
export const connectionTo = (url: string, patience: Patience) => ({
  ...throughPooler(withOptions(url), patience),
  options: OPTIONS,
  statement_timeout: patience.statement,
  lock_timeout: patience.lock,
  idle_in_transaction_session_timeout: patience.idleTransaction,
});

/** A pooler in transaction mode refuses the second option, so that a wrong address fails at the start. */
const OPTIONS = '-c timezone=UTC -c statement_timeout=0';

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
  connectionString: url, // MikroORM parses the URL itself and drops parameters like sslmode
  fallback_application_name: 'steady', // unless the operator gives a name
  keepAlive: true,
  maxLifetimeSeconds: CONNECTION_LIFETIME_SECONDS,
  connectionTimeoutMillis: patience.connection,
  query_timeout: patience.answer,
});

export function guardSettings(settings: PoolSettings): GuardSettings {
  const { answer = Infinity, statement = 0 } = settings.patience;
  return {
    // A statement that begins in time has ended on the server before the service stops waiting for its answer.
    startLimitMs: Math.min(answer - statement, DAY_MS),
    namesStatements: !isPooled(settings),
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
