import { type Kysely, sql } from 'kysely';
import { model } from '../../mikro-orm.config.js';
import { unknownZones } from '../accounts/zones.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { appliedTo, knownTo } from '../database/migrations.js';
import { IS_READ_ONLY } from '../database/pool/connection.js';
import { explained } from '../startup/start-errors.js';
import { withoutData } from '../telemetry/log.js';
import { backupFindings, dataDiskFinding } from './backups.js';
import { mailFinding, providerFinding } from './entry.js';
import { type Finding, ok, warning, wrong } from './finding.js';
import { connectionFinding, openFilesFinding } from './limits.js';
import { proxyFinding } from './proxies.js';
import { receiverFindings, reminderFindings } from './reminders.js';

/** Something that the service runs without, but not well. Each start makes these checks, and so does the doctor. */
export interface Check {
  about: string;
  look: () => Promise<Finding | Finding[]> | Finding | Finding[];
}

export const checksOfProcess = (config: Config): Check[] => [
  { about: 'proxies', look: () => proxyFinding(config) },
  { about: 'open files', look: () => openFilesFinding(config) },
  { about: 'disk of DATA_DIR', look: () => (config.databaseUrl ? [] : dataDiskFinding(config.dataDir)) },
];

/** Whether the servers of others can be reached. Only the doctor asks them: a start does not wait for them. */
export const checksOfOthers = (config: Config): Check[] => [
  { about: 'mail', look: () => mailFinding(config) },
  { about: 'provider', look: () => providerFinding(config) },
  { about: 'reminders', look: () => receiverFindings(config) },
];

/** Checks of our tables come last: they may have to wait for whoever has locked one. */
export const checksOfDatabase = (query: Kysely<unknown>, config: Config, clock: Clock): Check[] => [
  { about: 'PostgreSQL', look: () => postgresFinding(query) },
  { about: 'writing', look: () => writableFinding(query) },
  { about: 'clocks', look: () => clockFinding(query, clock) },
  { about: 'connections', look: () => connectionFinding(query, config) },
  { about: 'migrations', look: () => migrationFinding(query) },
  { about: 'reminders', look: () => reminderFindings(query, config) },
  { about: 'backups', look: () => backupFindings(config, query, clock.now()) },
  { about: 'time zones', look: () => zoneFindings(query) },
];

/** One after the other, each on its own: what keeps one from being carried out says nothing of the others. */
export async function resultsOf(checks: Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { about, look } of checks) {
    try {
      findings.push(...[await look()].flat());
    } catch (error) {
      findings.push(failed(about, error));
    }
  }
  return findings;
}

export function failed(about: string, error: unknown): Finding {
  const { message, fix } = explained(error) ?? {
    message: `${withoutData(error).message}`,
    fix: undefined,
  };
  return wrong(about, message, fix || 'If the reason does not tell, report it as a bug.');
}

/** The oldest that is tested. */
const OLDEST_POSTGRESQL = 14;

async function postgresFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'PostgreSQL';
  const { rows } = await sql<{ name: string; number: number }>`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`.execute(
    query,
  );
  const { name = '', number = 0 } = rows[0] ?? {};
  if (Math.floor(number / 10_000) >= OLDEST_POSTGRESQL) return ok(about, `release ${name}`);
  return wrong(
    about,
    `release ${name} is older than ${OLDEST_POSTGRESQL}`,
    `Move to a server of release ${OLDEST_POSTGRESQL} or newer: npm run move copies the data.`,
  );
}

async function writableFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'writing';
  const { rows } = await sql.raw<{ answer: boolean }>(IS_READ_ONLY).execute(query);
  if (!rows[0]?.answer) return ok(about, 'the server takes writes');
  return wrong(
    about,
    'the server only reads: it is a standby, or default_transaction_read_only is on',
    'Set DATABASE_URL to the primary, or that setting to off for the server, the database and the role.',
  );
}

async function migrationFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'migrations';
  const known = knownTo(model.migrations);
  const applied = await appliedTo(query);
  const missing = known.filter((name) => !applied.includes(name));
  if (missing.length === 0) return ok(about, `all ${known.length} are applied`);
  if (applied.length === 0) return ok(about, 'the database is empty: the start makes its tables');
  return warning(
    about,
    `${missing.length} of ${known.length} are missing, from ${missing[0]} on`,
    'Make a backup, then start this release or run npm run db:migrate: see docs/upgrading.md.',
  );
}

const NOTICEABLE_MS = 1_000;
const HARMFUL_MS = 60_000;

/** Half of the time that the question took may be the network's, in either direction. */
async function clockFinding(query: Kysely<unknown>, clock: Clock): Promise<Finding> {
  const about = 'clocks';
  const asked = clock.now().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(query);
  const answered = clock.now().getTime();
  const difference = (rows[0]?.now.getTime() ?? Number.NaN) - (asked + answered) / 2;
  const seconds = `${(Math.abs(difference) / 1_000).toFixed(1)} s`;
  const message = `that of the database is ${seconds} ${difference < 0 ? 'behind' : 'ahead of'} ours`;
  const fix = 'Let both machines keep their clocks by NTP: days, streaks and tokens go by them.';
  const size = Math.abs(difference) - (answered - asked) / 2;
  if (size > HARMFUL_MS) return wrong(about, message, fix);
  return size > NOTICEABLE_MS ? warning(about, message, fix) : ok(about, message);
}

async function zoneFindings(query: Kysely<unknown>): Promise<Finding[]> {
  if ((await appliedTo(query)).length === 0) return [];
  const zones = await unknownZones(query);
  if (zones.length === 0) return [];
  const named = zones.map(({ zone, users }) => `${zone} (${users})`).join(', ');
  return [
    warning(
      'time zones',
      `the database does not know those of some users: ${named}`,
      'Move to a server with newer time zones: until then their requests are refused.',
    ),
  ];
}
