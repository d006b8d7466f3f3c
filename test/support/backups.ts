import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { inject } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import type { Contents, Header } from '../../src/backup/format.js';
import { readSnapshot } from '../../src/backup/snapshot.js';
import type { Model } from '../../src/database/backend.js';
import type { Database } from '../../src/database/database.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { freshUrl } from './database.js';

/** A backup by the last release before the baseline, with rows of every table. */
export const FIXTURE = 'test/fixtures/backup-0018.jsonl.gz';

/** The lines of a backup file: its header, its rows and its trailer. */
export function linesOf(file: string | Buffer): { header: Header; rows: string[]; trailer: string } {
  const bytes = typeof file === 'string' ? readFileSync(file) : file;
  const [first = '', ...rows] = gunzipSync(bytes).toString().trimEnd().split('\n');
  return { header: JSON.parse(first) as Header, trailer: rows.pop() ?? '', rows };
}

/** A file whose lines somebody has changed. */
export const changed = (file: string, change: (text: string) => string): Buffer =>
  gzipSync(change(gunzipSync(readFileSync(file)).toString()));

/** What a backup of a database would hold. `meanwhile` runs after it has begun. */
export const linesIn = (
  database: Database,
  meanwhile = async () => {},
): Promise<{ header: Header; rows: string[]; trailer: string }> =>
  readSnapshot(database, async ({ header, rows: read }: Contents) => {
    await meanwhile();
    const rows: string[] = [];
    const reading = read();
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return { header, rows, trailer: JSON.stringify(value) };
      rows.push(...value.lines);
    }
  });

/** The columns that an older backup had: migrations since have added others. */
export function partOf(
  { header, rows }: { header: Header; rows: string[] },
  tables: Header['tables'],
): string[] {
  const columnsOf = (name: string) => header.tables.find((table) => table.name === name)?.columns ?? [];
  const kept = new Map(
    tables.map(({ name, columns }) => [name, columns.map((column) => columnsOf(name).indexOf(column) + 1)]),
  );
  return rows.map((line) => {
    const row: unknown[] = JSON.parse(line);
    return JSON.stringify([row[0], ...(kept.get(String(row[0])) ?? []).map((index) => row[index])]);
  });
}

/** What a release before the baseline has left to be meant, as it is since. */
const meant: Record<string, (of: (column: string) => string | null) => Record<string, string>> = {
  task_completions: (of) => ({
    day: String(of('completed_at')).slice(0, 10),
    recorded_at: String(of('completed_at')),
  }),
  tasks: (of) => ({ run_count: daysFrom(of('run_started_on'), of('last_day')) }),
  user_progress: (of) => ({ user_run_count: daysFrom(of('user_run_started_on'), of('last_user_day')) }),
};

const daysFrom = (first: string | null, last: string | null) =>
  String(first && last ? (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1 : 0);

function asFilledIn(line: string, { tables }: { tables: { name: string; columns: string[] }[] }): string {
  const [table, ...values] = JSON.parse(line);
  const columns = tables.find(({ name }) => name === table)?.columns ?? [];
  const filled = meant[table]?.((column) => values[columns.indexOf(column)]) ?? {};
  return JSON.stringify([table, ...columns.map((column, index) => values[index] ?? filled[column] ?? null)]);
}

const FORMER = ['generation', 'change'];

/**
 * The fixture as a restore brings it: with the days of all completions and the counts of runs, without two columns of `revocations` and its rows
 * about a generation.
 */
export function restoredFixture(): ReturnType<typeof linesOf> {
  const { header, rows, ...others } = linesOf(FIXTURE);
  const columns = header.tables.find(({ name }) => name === 'revocations')?.columns ?? [];
  const kept = columns.filter((column) => !FORMER.includes(column));
  const tables = header.tables.map((table) =>
    table.name === 'revocations' ? { ...table, columns: kept } : table,
  );
  const asKept = (line: string): string[] => {
    const [table, ...values] = JSON.parse(line);
    if (table !== 'revocations') return [asFilledIn(line, header)];
    if (values[columns.indexOf('generation')] !== null) return [];
    return [JSON.stringify([table, ...kept.map((column) => values[columns.indexOf(column)])])];
  };
  return { ...others, header: { ...header, tables }, rows: rows.flatMap(asKept) };
}

type Migrations = NonNullable<Model['migrations']>['migrationsList'];

/** The model of a release that has these migrations. */
export const modelWith = (change: (list: NonNullable<Migrations>) => NonNullable<Migrations>): Model => ({
  ...model,
  migrations: { ...model.migrations, migrationsList: change(model.migrations?.migrationsList ?? []) },
});

/** A database of that release, migrated as far as it goes or without tables. */
export const databaseOf = async (release: Model, { migrates = true } = {}): Promise<Database> =>
  openServer(release, { url: await emptyUrl(), poolSize: 2, patience: unhurried, migrates });

const emptyUrl = () => freshUrl(new URL('/template0', inject('template').url).href);
