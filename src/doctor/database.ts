import { type Kysely, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { NoPostgresError } from '../database/embedded/binaries.js';
import { hasDatabase } from '../database/embedded/cluster.js';
import { startOrJoinEmbedded } from '../database/embedded/open.js';
import { ServerError } from '../database/outcome.js';
import { type Look, lookAtServer, lookThroughPooler } from '../database/server/look.js';
import { PoolerError } from '../database/server/pooler.js';
import { DataDirectory, DataDirectoryError } from '../files/data-directory.js';
import { embeddedOptions } from '../startup/instance.js';
import { checksOfDatabase, resultsOf } from './checks.js';
import { dataDiskFinding } from './disk.js';
import { examined } from './examined.js';
import { type Finding, ok, wrong } from './finding.js';
import { connectionFinding } from './limits.js';
import { bornAt, migrationFinding } from './versions.js';

const ABOUT = 'database';

export interface DatabaseFindings {
  findings: Finding[];
  /** When it was made; undefined where that cannot be told. */
  bornAt?: Date | undefined;
}

export const databaseFindings = (config: Config, clock: Clock): Promise<DatabaseFindings> =>
  config.databaseUrl
    ? ofServer(config, config.databaseDirectUrl ?? config.databaseUrl, clock)
    : ofEmbedded(config, clock);

async function ofServer(config: Config, url: string, clock: Clock): Promise<DatabaseFindings> {
  const { host, pathname } = new URL(url);
  const name = `PostgreSQL at ${host}${pathname}`;
  const setting = url === config.databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const ask = (look: Look) => answersOf(look, name, config, clock);
  try {
    const look = await lookAtServer(url, setting === 'DATABASE_DIRECT_URL');
    return await ask(look).finally(look.close);
  } catch (error) {
    if (error instanceof PoolerError) return { findings: [wrong(ABOUT, error.says, error.mend)] };
    if (!(error instanceof ServerError)) throw error;
    const fix = `Is the server up, and does ${setting} name it, its database and its log-in?`;
    return { findings: [wrong(ABOUT, `${name} cannot be used: ${error.message}`, fix)] };
  }
}

/** Those about our tables come last: they may have to wait for whoever has locked one. */
async function answersOf(look: Look, name: string, config: Config, clock: Clock): Promise<DatabaseFindings> {
  const { query } = look;
  const findings = [
    ok(ABOUT, `${name} answers`),
    ...(await examined('pooler', () => poolerFindings(look, config))),
    ...(await examined('writing', () => writableFinding(query))),
    ...(await examined('connections', () => connectionFinding(query, config))),
  ];
  const content = await contentFindings(query, clock);
  return { findings: [...findings, ...content.findings], bornAt: content.bornAt };
}

async function writableFinding(query: Kysely<unknown>): Promise<Finding> {
  const about = 'writing';
  const { rows } = await sql<{ isStandby: boolean; isReadOnly: boolean }>`
    select pg_is_in_recovery() as "isStandby", reset_val = 'on' as "isReadOnly"
    from pg_settings where name = 'default_transaction_read_only'`.execute(query);
  const { isStandby, isReadOnly } = rows[0] ?? {};
  if (isStandby) {
    return wrong(about, 'the server is a standby, which only reads', 'Set DATABASE_URL to the primary.');
  }
  if (isReadOnly) {
    const fix = 'Set it to off again for the server, the database and the role.';
    return wrong(about, 'default_transaction_read_only is on', fix);
  }
  return ok(about, 'the server takes writes');
}

/** Of what stands between requests and the server, if anything does. */
async function poolerFindings(look: Look, { databaseUrl, databaseDirectUrl }: Config): Promise<Finding[]> {
  if (!databaseUrl || !databaseDirectUrl || databaseUrl === databaseDirectUrl) return [];
  const about = 'pooler';
  const { host, pathname } = new URL(databaseUrl);
  try {
    await lookThroughPooler(look, databaseUrl);
    return [ok(about, `${host}${pathname} leads to the same database`)];
  } catch (error) {
    if (error instanceof PoolerError) return [wrong(about, error.says, error.mend)];
    if (!(error instanceof ServerError)) throw error;
    const fix = 'Is the pooler up, and does DATABASE_URL name it, its database and its log-in?';
    return [wrong(about, `${host}${pathname} cannot be used: ${error.message}`, fix)];
  }
}

/** Where the table of the migrations cannot be read, nothing that depends on it is asked. */
async function contentFindings(query: Kysely<unknown>, clock: Clock): Promise<DatabaseFindings> {
  let birth: Date | undefined;
  const migrations = await examined('migrations', async () => {
    const finding = await migrationFinding(query);
    birth = await bornAt(query);
    return finding;
  });
  const hasTables = birth !== undefined && migrations.every(({ state }) => state === 'ok');
  const checks = checksOfDatabase(query, clock).filter(({ needsTables }) => hasTables || !needsTables);
  return { findings: [...migrations, ...(await resultsOf(checks))], bornAt: birth };
}

async function ofEmbedded(config: Config, clock: Clock): Promise<DatabaseFindings> {
  let directory: DataDirectory;
  try {
    directory = new DataDirectory(config.dataDir);
  } catch (error) {
    return { findings: [unusableFinding(error)] };
  }
  const ofContent = hasDatabase(directory) ? await ofDirectory(directory, config, clock) : noneIn(directory);
  const { findings, bornAt } = ofContent;
  const disk = await examined('disk of DATA_DIR', () => dataDiskFinding(directory.path));
  return { findings: [...findings, ...disk], bornAt };
}

const noneIn = ({ path }: DataDirectory): DatabaseFindings => ({
  findings: [ok(ABOUT, `there is none in DATA_DIR ${path} yet: the first start makes it`)],
});

function unusableFinding(error: unknown): Finding {
  if (!(error instanceof DataDirectoryError || error instanceof NoPostgresError)) throw error;
  const fix = 'Correct DATA_DIR, or restore a backup into a new one: see docs/operations.md.';
  return wrong(ABOUT, error.message, fix);
}

/** Beside a service it asks the database of that; else it starts the database for as long as it looks. */
async function ofDirectory(
  directory: DataDirectory,
  config: Config,
  clock: Clock,
): Promise<DatabaseFindings> {
  try {
    const embedded = await startOrJoinEmbedded(directory, embeddedOptions(config));
    try {
      const look = await lookAtServer(embedded.address);
      return await answersOf(look, `the embedded database in ${directory.path}`, config, clock).finally(
        look.close,
      );
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    return { findings: await examined(ABOUT, () => unusableFinding(error)) };
  }
}
