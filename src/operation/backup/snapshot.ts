import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { systemClock } from '../../base/clock.js';
import { manifest } from '../../base/files/project.js';
import type { Database } from '../../database/database.js';
import { appliedTo } from '../../database/migrations.js';
import { DATABASE_ID, storedValue } from '../../features/reminders/channels/stored-values.js';
import {
  BackupError,
  CHUNK,
  type Chunk,
  type Contents,
  FORMAT,
  type Header,
  type Trailer,
} from './format.js';
import { sequencesOf, type Table, tablesOf, tablesToKeep } from './tables.js';

/** How values are written as text, whatever the server is set to: exact, and the same everywhere. */
const SESSION = {
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
};

/**
 * Reads a database as it is at one moment. The rows must be read within `work`. If it `rests`, the server has as long
 * for others after each part as that took.
 */
export const readSnapshot = <T>(
  database: Database,
  work: (contents: Contents) => Promise<T>,
  rests = false,
): Promise<T> =>
  database.snapshot<unknown, T>(async (query) => work(await contentsIn(database, query, rests)));

/** Reads a snapshot beside a service, one process at a time: null while another one is at it. */
export const readAlone = <T>(
  database: Database,
  lock: number,
  work: (contents: Contents) => Promise<T>,
): Promise<T | null> =>
  database.snapshot<unknown, T | null>(async (query) => {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(${lock}) as "isOurs"`.execute(query);
    if (!rows[0]?.isOurs) return null;
    // A service that stops waits for its backup, which therefore waits for nobody: it is tried again.
    await sql`select set_config('lock_timeout', '5s', true)`.execute(query);
    return work(await contentsIn(database, query, true));
  });

async function contentsIn(database: Database, query: Kysely<unknown>, rests: boolean): Promise<Contents> {
  for (const [name, value] of Object.entries(SESSION)) {
    await sql`select set_config(${name}, ${value}, true)`.execute(query);
  }
  const migration = (await appliedTo(query)).at(-1);
  if (!migration) throw new BackupError(`There is nothing to back up: ${database.description} has no tables`);
  const tables = await tablesOf(query, tablesToKeep(database.orm));
  const header = await headerOf(query, migration, tables);
  return { header, rows: () => rowsOf(query, tables, rests) };
}

async function headerOf(query: Kysely<unknown>, migration: string, tables: Table[]): Promise<Header> {
  const { rows } = await sql<{ version: string }>`
    select current_setting('server_version') as version`.execute(query);
  const described = [];
  for (const table of tables) {
    const columns = table.columns.map(({ name }) => name);
    described.push({ name: table.name, columns, sequences: await sequencesOf(query, table) });
  }
  const { version } = manifest();
  const postgres = rows[0]?.version ?? '';
  const madeAt = systemClock.now().toISOString();
  const database = await storedValue(query, DATABASE_ID);
  return {
    steady: 'backup',
    format: FORMAT,
    version,
    migration,
    postgres,
    madeAt,
    database,
    tables: described,
  };
}

async function* rowsOf(
  query: Kysely<unknown>,
  tables: Table[],
  rests: boolean,
): AsyncGenerator<Chunk, Trailer> {
  const hash = createHash('sha256');
  const counts: Record<string, number> = {};
  for (const table of tables) {
    counts[table.name] = 0;
    for await (const lines of linesOf(query, table, rests)) {
      hash.update(`${lines.join('\n')}\n`);
      counts[table.name] = (counts[table.name] ?? 0) + lines.length;
      yield { table: table.name, lines };
    }
  }
  return { counts, sha256: hash.digest('hex') };
}

/** PostgreSQL writes the lines. A cursor, since neither side could hold a whole table. */
async function* linesOf(
  query: Kysely<unknown>,
  { name, columns, key }: Table,
  rests: boolean,
): AsyncGenerator<string[]> {
  const values = columns.map((column) => sql`${sql.ref(column.name)}::text`);
  const order = key.map((part) => {
    const isText = columns.some((column) => column.name === part && column.isText);
    return isText ? sql`${sql.ref(part)} collate "C"` : sql.ref(part);
  });
  await sql`
    declare backup no scroll cursor for
    select array_to_json(array[${sql.lit(name)}, ${sql.join(values)}]::text[])::text as line
    from ${sql.table(name)} order by ${sql.join(order)}`.execute(query);
  for (;;) {
    const startedAt = performance.now();
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(CHUNK)} from backup`.execute(query);
    const took = performance.now() - startedAt;
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rests) await delay(took);
    if (rows.length < CHUNK) break;
  }
  await sql`close backup`.execute(query);
}
