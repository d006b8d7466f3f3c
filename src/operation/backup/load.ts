import { randomUUID } from 'node:crypto';
import type { SqlEntityManager } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../database/database.js';
import { appliedTo, knownTo, LAST_OF_CANDIDATE, MIGRATION_LOCK } from '../../database/migrations.js';
import { isPlainError } from '../../database/outcome.js';
import type { Tombstone } from '../../features/account/deletion.js';
import { noteRestore } from '../../features/account/revocation.queries.js';
import { beginFeedsAnew } from '../../features/event-feed/feed.queries.js';
import { DATABASE_ID, HOLD, madeOnce, storeValue } from '../../features/reminders/channels/stored-values.js';
import { inBulk } from './bulk.js';
import {
  BackupError,
  type Chunk,
  type Contents,
  type Counts,
  type Header,
  migrationOf,
  type Trailer,
} from './format.js';
import { allTables, sequenceOf, type Table, tablesOf, tablesToKeep } from './tables.js';
import { deleteAgain } from './tombstones.js';
import { type Proof, prove } from './verify-restore.js';

export interface LoadOptions {
  clock: Clock;
  /** Accounts that were deleted after the backup was made. */
  tombstones?: readonly Tombstone[];
  /** Whether reminders ring nobody until the operator says so: the database that the backup is of may still be used. */
  holdsReminders?: boolean;
}

/** What a database holds now, and what was found out about it. */
export interface Restored extends Proof {
  counts: Counts;
  /** How many accounts were deleted again. */
  deletedAgain: number;
}

/**
 * Brings the contents into an empty database, in one transaction: whatever goes wrong, the database stays empty.
 * The tables are first those of the backup's own migration, so that later migrations find what they expect.
 */
export async function load(database: Database, contents: Contents, options: LoadOptions): Promise<Restored> {
  const { orm } = database;
  const { header } = contents;
  await orm.migrator.getExecuted(); // makes its table, which it could not do inside the transaction
  const restoring = orm.em.fork().transactional(async (tx) => {
    const query = tx.getKysely<unknown>() as Kysely<unknown>;
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(query);
    await requireEmpty(query, database.description);
    await makeTables(tx, database, migrationOf(header));
    const tables = await tablesFor(query, header);
    const trailer = await inBulk(query, [...tables.keys()], () => loadRows(query, tables, contents));
    await requireCounts(query, trailer);
    await setSequences(query, header, tables);
    await migrate(tx, database);
    const deletedAgain = await deleteAgain(query, options.tombstones ?? []);
    await noteRestore(options.clock.now()).execute(query);
    await madeOnce(query, DATABASE_ID, randomUUID); // a backup of 1.0.0-rc.1 has none
    await beginFeedsAnew(query);
    if (options.holdsReminders) await storeValue(query, HOLD, 'held');
    const kept = await tablesOf(query, tablesToKeep(orm));
    const proof = await prove(tx, kept, options.clock);
    return { ...proof, counts: trailer.counts, deletedAgain };
  });
  return restoring.catch((error: unknown) => {
    if (!isPlainError(error)) throw error;
    throw new BackupError(`The backup cannot be restored: ${(error as Error).message}. Nothing is kept.`);
  });
}

/** Nobody can sign up until the transaction ends. */
async function requireEmpty(query: Kysely<unknown>, description: string): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('users') is not null as "isThere"`.execute(query);
  if (!rows[0]?.isThere) return;
  if ((await appliedTo(query)).length === 0) {
    throw new BackupError(
      `There are tables in ${description} that are not Steady's. Choose an empty database.`,
    );
  }
  await sql`lock table users`.execute(query);
  const found = await sql`select from users limit 1`.execute(query);
  if (found.rows.length > 0) {
    throw new BackupError(
      `There are users in ${description}. A backup is restored into an empty database only.`,
    );
  }
}

/** Tables of later migrations go: without users they hold nothing of worth. */
async function makeTables(tx: SqlEntityManager, database: Database, upTo: string): Promise<void> {
  const query = tx.getKysely<unknown>() as Kysely<unknown>;
  const known = knownTo(database.orm.config.get('migrations'));
  const wanted = known.slice(0, known.indexOf(upTo) + 1);
  const applied = await appliedTo(query);
  if (applied.some((name) => !wanted.includes(name))) await dropAll(query, database);
  await migrate(tx, database, upTo);
}

async function dropAll(query: Kysely<unknown>, { orm }: Database): Promise<void> {
  const tables = await tablesOf(query, allTables(orm));
  for (const { name } of tables.toReversed()) await sql`drop table ${sql.table(name)}`.execute(query);
  await sql`delete from mikro_orm_migrations`.execute(query);
}

async function migrate(tx: SqlEntityManager, { orm }: Database, upTo?: string): Promise<void> {
  const transaction = tx.getTransactionContext();
  if (!transaction) throw new Error('A migration needs the transaction');
  await orm.migrator.up({ transaction, ...(upTo && { to: upTo }) });
}

/** The tables that the backup names, without rows. Columns that the baseline has got since 1.0.0-rc.1 are as in a new row. */
async function tablesFor(query: Kysely<unknown>, { tables, migration }: Header): Promise<Map<string, Table>> {
  const found = await tablesOf(
    query,
    tables.map(({ name }) => name),
  );
  for (const { name, columns } of tables) {
    const there = found.find((table) => table.name === name)?.columns.map((column) => column.name) ?? [];
    const mayLack = LAST_OF_CANDIDATE.includes(migration);
    if ((columns.length !== there.length && !mayLack) || columns.some((column) => !there.includes(column))) {
      throw new BackupError(
        `The backup is damaged: its table ${name} is not that of migration ${migration}.`,
      );
    }
  }
  for (const { name } of found.toReversed()) await sql`delete from ${sql.table(name)}`.execute(query);
  return new Map(found.map((table) => [table.name, table]));
}

async function loadRows(
  query: Kysely<unknown>,
  tables: Map<string, Table>,
  { header, rows }: Contents,
): Promise<Trailer> {
  const reading = rows();
  for (let next = await reading.next(); ; next = await reading.next()) {
    if (next.done) return next.value;
    const { table: name, lines } = next.value;
    const table = tables.get(name);
    const names = header.tables.find((each) => each.name === name)?.columns;
    if (!table || !names) throw new BackupError(`The backup is damaged: it has rows of ${name}.`);
    await insert(query, table, names, { table: name, lines });
  }
}

/** PostgreSQL reads the lines, all of a chunk as one value. */
async function insert(
  query: Kysely<unknown>,
  { name, columns }: Table,
  names: readonly string[],
  { lines }: Chunk,
): Promise<void> {
  const values = names.map((each, index) => {
    const type = columns.find((column) => column.name === each)?.type ?? 'text';
    return sql`(line ->> ${sql.lit(index + 1)})::${sql.raw(type)}`;
  });
  await sql`
    insert into ${sql.table(name)} (${sql.join(names.map((each) => sql.ref(each)))})
    overriding system value
    select ${sql.join(values)} from jsonb_array_elements(${`[${lines.join(',')}]`}::jsonb) as line`.execute(
    query,
  );
}

async function requireCounts(query: Kysely<unknown>, { counts }: Trailer): Promise<void> {
  for (const [name, expected] of Object.entries(counts)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)}`.execute(query);
    if (rows[0]?.count === expected) continue;
    throw new BackupError(
      `Of ${expected} rows of ${name}, ${rows[0]?.count} were restored: nothing is kept.`,
    );
  }
}

/**
 * Past every number that was given, even if its row is gone: no id is given twice. A backup that somebody has written may
 * lack the numbers.
 */
async function setSequences(
  query: Kysely<unknown>,
  { tables }: Header,
  there: Map<string, Table>,
): Promise<void> {
  for (const { name, sequences } of tables) {
    const numbered = there.get(name)?.columns.filter(({ isNumbered }) => isNumbered) ?? [];
    const all = { ...Object.fromEntries(numbered.map((column) => [column.name, '1'])), ...sequences };
    for (const [column, next] of Object.entries(all)) {
      const sequence = await sequenceOf(query, name, column);
      if (!sequence) continue; // of a column that is gone, or not numbered any more
      await sql`
        select setval(${sequence}::regclass, greatest(${next}::bigint, max(${sql.ref(column)}) + 1), false)
        from ${sql.table(name)}`.execute(query);
    }
  }
}
