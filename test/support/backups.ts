import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { inject } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import type { Model } from '../../src/database/backend.js';
import type { Database } from '../../src/database/database.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import type { Contents, Header } from '../../src/operation/backup/format.js';
import { readSnapshot } from '../../src/operation/backup/snapshot.js';
import { freshUrl } from './database.js';

/** A backup by 1.0.0-rc.1, with rows of every table. */
export const FIXTURE = 'test/fixtures/backup-rc.1.jsonl.gz';

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
export const linesIn = (database: Database, meanwhile = async () => {}) =>
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

/** The tables and columns that an older backup had, and no id: migrations since have added others. */
export function partOf(
  { header, rows }: { header: Header; rows: string[] },
  tables: Header['tables'],
): string[] {
  const columnsOf = (name: string) => header.tables.find((table) => table.name === name)?.columns ?? [];
  const kept = new Map(
    tables.map(({ name, columns }) => [name, columns.map((column) => columnsOf(name).indexOf(column) + 1)]),
  );
  const known = rows.filter((line) => !line.startsWith('["kept_values","database-id"'));
  return known.flatMap((line) => {
    const row: unknown[] = JSON.parse(line);
    const indexes = kept.get(String(row[0]));
    return indexes ? [JSON.stringify([row[0], ...indexes.map((index) => row[index])])] : [];
  });
}

type Migrations = NonNullable<NonNullable<Model['migrations']>['migrationsList']>;

/** The model of a release that has these migrations. */
export const modelWith = (change: (list: Migrations) => Migrations): Model => ({
  ...model,
  migrations: { ...model.migrations, migrationsList: change(model.migrations?.migrationsList ?? []) },
});

/** A database of that release, migrated as far as it goes or without tables. */
export const databaseOf = async (release: Model, { migrates = true } = {}): Promise<Database> =>
  openServer(release, { url: await emptyUrl(), poolSize: 2, patience: unhurried, migrates });

const emptyUrl = () => freshUrl(new URL('/template0', inject('template').url).href);
