import type { GuardSettings } from '../pool/guard.js';
import { OWN_SESSION } from './pooler.js';

export interface PoolSettings {
  /** Where requests go. */
  url: string;
  /** The server itself, where `url` leads to a pooler in front of it. */
  directUrl?: string | undefined;
  patience: Patience;
}

/** For probes. */
export const impatient: Patience = { connection: 1_000, answer: 1_000 };

/** In seconds: connections are replaced after this time, and then the clocks are compared again. */
const CONNECTION_LIFETIME = 600;

export const isPooled = ({ url, directUrl = url }: Pick<PoolSettings, 'url' | 'directUrl'>) =>
  url !== directUrl;

export const connectionOf = (settings: Pick<PoolSettings, 'url' | 'directUrl' | 'patience'>) =>
  (isPooled(settings) ? throughPooler : connectionTo)(settings.url, settings.patience);

/** A session of our own. */
export const connectionTo = (url: string, patience: Patience) => ({
  ...pooledConnectionTo(withOptions(url), patience),
  options: OPTIONS,
  statement_timeout: patience.statement,
  lock_timeout: patience.lock,
  idle_in_transaction_session_timeout: patience.idleTransaction,
});

const OPTIONS = `-c timezone=UTC ${OWN_SESSION}`;

/** Options in an address would take the place of ours. */
function withOptions(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  if (given === null) return url;
  address.searchParams.set('options', `${given} ${OPTIONS}`);
  return address.href;
}

/** Poolers refuse settings of a session, or ignore them: here are none. Limits are sent with each statement. */
const throughPooler = (url: string, patience: Patience) => ({
  ...pooledConnectionTo(url, patience),
  pipeline: true,
});

export const pooledConnectionTo = (url: string, patience: Patience) => ({
  connectionString: url, // MikroORM parses the URL itself and drops parameters like sslmode
  fallback_application_name: 'steady', // unless the operator gives a name
  keepAlive: true,
  maxLifetimeSeconds: CONNECTION_LIFETIME,
  connectionTimeoutMillis: patience.connection,
  query_timeout: patience.answer,
});

export function guardSettings(settings: PoolSettings): GuardSettings {
  const { patience } = settings;
  // A statement that begins in time has ended on the server before the service stops waiting for its answer.
  const startLimit = Math.min((patience.answer ?? Infinity) - (patience.statement ?? 0), DAY);
  const carried = isPooled(settings) ? carriedLimits(patience) : undefined;
  return { startLimit, carried };
}

const DAY = 24 * 60 * 60 * 1_000;

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
