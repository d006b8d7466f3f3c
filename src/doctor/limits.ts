import { readFileSync } from 'node:fs';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../config.js';
import { shareOf } from '../startup/worker-share.js';
import { type Finding, ok, warning, wrong } from './finding.js';

/** Beside the pool: for live updates, and two for migrations, the streak job and locks. */
const OF_ONE_PROCESS = 3;

const OF_THE_PROBE = 1;

/** For a backup while it is made. */
const OF_A_BACKUP = 1;

/** Files that a process has open beside its connections. */
const FILES = 200;

interface Room {
  most: number;
  used: number;
}

const hasPooler = ({ databaseUrl, databaseDirectUrl = databaseUrl }: Config) =>
  databaseUrl !== databaseDirectUrl;

/** What one instance may open at most on the server itself: at SIGHUP there is one worker more. */
export function connectionsOf(config: Config): number {
  const { workers, databasePoolSize } = config;
  const pool = workers > 1 ? shareOf(config).databasePoolSize : databasePoolSize;
  const ofRequests = hasPooler(config) ? 0 : pool + OF_THE_PROBE;
  return (workers > 1 ? workers + 1 : 1) * (ofRequests + OF_ONE_PROCESS) + OF_A_BACKUP;
}

/** Connections that are kept for superusers are not for us. A limit of -1 is none. */
export async function connectionFinding(query: Kysely<unknown>, config: Config): Promise<Finding> {
  const about = 'connections';
  const { rows } = await sql<Room>`
    select
      least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      ) as most,
      (select count(*)::int from pg_stat_activity where datid is not null) - 1 as used`.execute(query);
  const { most, used } = rows[0] as Room;
  const needed = connectionsOf(config);
  const beside = hasPooler(config) ? ' beside those of the pooler' : '';
  const message = `one instance opens up to ${needed}${beside}, the server allows ${most}, and ${used} are open now`;
  const fix = 'Lower DATABASE_POOL_SIZE or WORKERS, or raise max_connections of the server.';
  if (needed > most) return wrong(about, message, fix);
  if (needed > most - used) {
    return warning(
      about,
      `${message}, perhaps those of this instance`,
      `If other programs have them: ${fix}`,
    );
  }
  return ok(about, message);
}

/** Node raises its soft limit to the hard one. Only Linux says what that is. */
export function openFilesFinding(config: Config, limits = limitsOfThisProcess()): Finding[] {
  const about = 'open files';
  const [, hard] = /^Max open files\s+\S+\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (hard === undefined) return [];
  const most = hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  const { maxConnections } = shareOf(config);
  const message = `a process may open ${hard === 'unlimited' ? 'any number' : most.toLocaleString('en')}, and MAX_CONNECTIONS allows it ${maxConnections.toLocaleString('en')} connections`;
  const fix = `Raise the limit (LimitNOFILE of a systemd unit, --ulimit nofile of a container, ulimit -n) to ${maxConnections + FILES}, or lower MAX_CONNECTIONS.`;
  return [most < maxConnections + FILES ? warning(about, message, fix) : ok(about, message)];
}

function limitsOfThisProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
