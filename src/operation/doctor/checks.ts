import { sql } from 'kysely';
import { model } from '../../../mikro-orm.config.js';
import type { Config } from '../../base/config.js';
import { type Check, type Finding, ok, warning, wrong } from '../../base/finding.js';
import { appliedTo, knownTo } from '../../database/migrations.js';
import { IS_READ_ONLY } from '../../database/pool/connection.js';
import type { Examined } from '../../feature.js';
import { features } from '../../features.js';
import { countJobs } from '../../jobs/jobs.queries.js';
import { withoutData } from '../../telemetry/log.js';
import { checksOfBackups } from '../backup/checks.js';
import { explained } from '../startup/start-errors.js';
import { connectionFinding, dataDiskFinding, openFilesFinding } from './limits.js';
import { proxyFinding } from './proxies.js';

/** What was looked at, and what it is like. */
export type Told = Finding & { about: string };

export const checksOfProcess: Check<Config>[] = [
  { about: 'proxies', look: proxyFinding },
  { about: 'open files', look: (config) => openFilesFinding(config) },
  { about: 'disk of DATA_DIR', look: dataDiskFinding },
];

export const checksOfOthers = features.flatMap(({ asks = [] }) => asks);

/** Checks of our tables come last: they may have to wait for whoever has locked one. */
export const checksOfDatabase: Check<Examined>[] = [
  { about: 'PostgreSQL', look: postgresFinding },
  { about: 'writing', look: writableFinding },
  { about: 'clocks', look: clockFinding },
  { about: 'connections', look: connectionFinding },
  { about: 'migrations', look: migrationFinding },
  { about: 'jobs', look: jobFinding },
  ...checksOfBackups,
  ...features.flatMap(({ checks = [] }) => checks.map(onceMigrated)),
];

/** One after the other, each on its own: what keeps one from being carried out says nothing of the others. */
export async function findingsOf<Place>(checks: readonly Check<Place>[], place: Place): Promise<Told[]> {
  const findings: Told[] = [];
  for (const { about, look } of checks) {
    try {
      findings.push(...[await look(place)].flat().map((found) => ({ about, ...found })));
    } catch (error) {
      findings.push(failed(about, error));
    }
  }
  return findings;
}

export function failed(about: string, error: unknown): Told {
  const { message, fix } = explained(error) ?? {
    message: `${withoutData(error).message}`,
    fix: 'If the reason does not tell, report it as a bug.',
  };
  return { about, state: 'wrong', message, ...(fix && { fix }) };
}

/** The oldest that is tested. */
const OLDEST_POSTGRESQL = 14;

async function postgresFinding({ query }: Examined): Promise<Finding> {
  const { rows } = await sql<{ name: string; number: number }>`
    select current_setting('server_version') as name, current_setting('server_version_num')::int as number`.execute(
    query,
  );
  const { name = '', number = 0 } = rows[0] ?? {};
  if (Math.floor(number / 10_000) >= OLDEST_POSTGRESQL) return ok(`release ${name}`);
  return wrong(
    `release ${name} is older than ${OLDEST_POSTGRESQL}`,
    `Take a server of release ${OLDEST_POSTGRESQL} or newer: steady backup and steady restore bring the data.`,
  );
}

async function writableFinding({ query }: Examined): Promise<Finding> {
  const { rows } = await sql.raw<{ answer: boolean }>(IS_READ_ONLY).execute(query);
  if (!rows[0]?.answer) return ok('the server takes writes');
  return wrong(
    'the server only reads: it is a standby, or default_transaction_read_only is on',
    'Set DATABASE_URL to the primary, or that setting to off for the server, the database and the role.',
  );
}

async function migrationsIn({ query }: Pick<Examined, 'query'>) {
  const applied = await appliedTo(query);
  const known = knownTo(model.migrations);
  return { known, applied, missing: known.filter((name) => !applied.includes(name)) };
}

async function migrationFinding(place: Examined): Promise<Finding> {
  const { known, applied, missing } = await migrationsIn(place);
  if (missing.length === 0) return ok(`all ${known.length} are applied`);
  if (applied.length === 0) return ok('the database is empty: the start makes its tables');
  return warning(
    `${missing.length} of ${known.length} are missing, from ${missing[0]} on`,
    'Make a backup, then start this release or run steady migrate: see docs/operate.md.',
  );
}

/** Features know their tables as this release makes them. */
function onceMigrated({ about, look }: Check<Examined>): Check<Examined> {
  const lookNow = async (place: Examined) => {
    const { missing } = await migrationsIn(place);
    return missing.length > 0 ? [] : look(place);
  };
  return { about, look: lookNow };
}

const NOTICEABLE_MS = 1_000;
const HARMFUL_MS = 60_000;

/** Half of the time that the question took may be the network's, in either direction. */
async function clockFinding({ query, clock }: Examined): Promise<Finding> {
  const asked = clock.now().getTime();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(query);
  const answered = clock.now().getTime();
  const difference = (rows[0]?.now.getTime() ?? Number.NaN) - (asked + answered) / 2;
  const seconds = `${(Math.abs(difference) / 1_000).toFixed(1)} s`;
  const message = `that of the database is ${seconds} ${difference < 0 ? 'behind' : 'ahead of'} ours`;
  const fix = 'Let both machines keep their clocks by NTP: days, streaks and tokens go by them.';
  const size = Math.abs(difference) - (answered - asked) / 2;
  if (size > HARMFUL_MS) return wrong(message, fix);
  return size > NOTICEABLE_MS ? warning(message, fix) : ok(message);
}

/** A job that has been due for longer is not only waiting for its turn. */
const LATE_SECONDS = 900;

/** Whether what is to be done beside requests is done. */
async function jobFinding({ query, clock }: Examined): Promise<Finding[]> {
  if ((await appliedTo(query)).length === 0) return [];
  const { rows } = await sql<{ kind: string }>`
    select distinct kind from jobs where run_at is not null order by kind`.execute(query);
  const kinds = rows.map(({ kind }) => kind);
  const found = await countJobs(query, kinds, clock.now());
  const late = found.filter(({ failed, oldest }) => failed > 0 || oldest > LATE_SECONDS);
  const total = found.reduce((sum, { waiting }) => sum + waiting, 0);
  if (late.length === 0) return [ok(`${total} wait, and none has failed or is late`)];
  const told = late.map(
    ({ kind, waiting, failed, oldest }) =>
      `${kind}: ${waiting} wait, ${failed} of them have failed, the oldest due for ${Math.round(oldest / 60)} min`,
  );
  const fix =
    'Look for their kind in the log: it says why. What no process does waits for a service that runs.';
  return [warning(told.join('; '), fix)];
}
