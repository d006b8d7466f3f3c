import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Config } from '../../base/config.js';
import { inMegabytes, MEGABYTE, roomAt } from '../../base/files/disk.js';
import { type Finding, ok, warning, wrong } from '../../base/finding.js';
import type { Examined } from '../../feature.js';
import { shareOf } from '../startup/worker-share.js';

/** Beside the pool: for live updates, and two for migrations, the streak job and locks. */
const OF_ONE_PROCESS = 3;

const OF_THE_PROBE = 1;

/** For a backup while it is made. */
const OF_A_BACKUP = 1;

/** Files that a process has open beside its connections. */
const FILES = 200;

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
export async function connectionFinding({ query, config }: Examined): Promise<Finding> {
  const { rows } = await sql<{ most: number; used: number }>`
    select
      least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      ) as most,
      (select count(*)::int from pg_stat_activity where datid is not null) - 1 as used`.execute(query);
  const { most = 0, used = 0 } = rows[0] ?? {};
  const needed = connectionsOf(config);
  const beside = hasPooler(config) ? ' beside those of the pooler' : '';
  const message = `one instance opens up to ${needed}${beside}, the server allows ${most}, and ${used} are open now`;
  const fix = 'Lower WORKERS, or raise max_connections of the server.';
  if (needed > most) return wrong(message, fix);
  if (needed <= most - used) return ok(message);
  return warning(`${message}, perhaps those of this instance`, `If other programs have them: ${fix}`);
}

/** Node raises its soft limit to the hard one. Only Linux says what that is. */
export function openFilesFinding(config: Config, limits = limitsOfThisProcess()): Finding[] {
  const [, hard] = /^Max open files\s+\S+\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (hard === undefined) return [];
  const most = hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  const { maxConnections } = shareOf(config);
  const message = `a process may open ${hard === 'unlimited' ? 'any number' : most.toLocaleString('en')}, and the service takes up to ${maxConnections.toLocaleString('en')} connections`;
  const fix = `Raise the limit (LimitNOFILE of a systemd unit, --ulimit nofile of a container, ulimit -n) to ${maxConnections + FILES}.`;
  return [most < maxConnections + FILES ? warning(message, fix) : ok(message)];
}

function limitsOfThisProcess(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/** What a new database and its first hour take. */
const FEW_BYTES = 100 * MEGABYTE;
const SCARCE_BYTES = 300 * MEGABYTE;

/** Looks at the disk below an embedded database. */
export async function dataDiskFinding({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (databaseUrl) return [];
  const room = await roomAt(dataDir);
  const free = `${inMegabytes(room)} are free`;
  const fix = 'Make room on the disk, or move DATA_DIR to a larger one while the service is stopped.';
  if (room < FEW_BYTES) return [wrong(`${free}: nothing can be written once there is none`, fix)];
  return [room < SCARCE_BYTES ? warning(free, fix) : ok(free)];
}
