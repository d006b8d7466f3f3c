import { BASELINE, LAST_OF_CANDIDATE } from '../../database/migrations.js';

/** The format of a backup file; docs/backup-format.md describes it. */
export const FORMAT = 1;

/** A backup cannot be made or restored. The message is one line for the operator. */
export class BackupError extends Error {}

/** A table as it is in a backup. */
export interface TableInFile {
  name: string;
  columns: string[];
  /** The number that each sequence gives next, by its column. */
  sequences: Record<string, string>;
}

/** The first line. */
export interface Header {
  steady: 'backup';
  format: number;
  /** The release that made the backup. */
  version: string;
  /** The last migration of the database. */
  migration: string;
  /** The version of PostgreSQL, for information. */
  postgres: string;
  madeAt: string;
  /** The id of the database; missing in backups of 1.0.0-rc.1. */
  database?: string | undefined;
  /** In the order of their rows: a table comes after those that it refers to. */
  tables: TableInFile[];
}

/** Rows by table. */
export type Counts = Record<string, number>;

/** The last line. */
export interface Trailer {
  counts: Counts;
  /** The checksum of all lines between the first and the last, line ends included. */
  sha256: string;
}

/** Rows in memory at a time. */
export const CHUNK = 1_000;

/** Some rows of one table as lines: JSON arrays of the table's name and a value for each column. */
export interface Chunk {
  table: string;
  lines: string[];
}

/** What a backup holds, whether it comes from a file or from a database. */
export interface Contents {
  header: Header;
  /** Ends with the trailer. */
  rows: () => AsyncGenerator<Chunk, Trailer>;
}

/** Called with the number of rows of a table so far. */
export type OnProgress = (table: string, rows: number) => void;

/** Contents that report how many of their rows were read. */
export const watched = ({ header, rows }: Contents, onProgress: OnProgress): Contents => ({
  header,
  rows: async function* () {
    const counts: Counts = {};
    const reading = rows();
    for (let next = await reading.next(); ; next = await reading.next()) {
      if (next.done) return next.value;
      const { table, lines } = next.value;
      counts[table] = (counts[table] ?? 0) + lines.length;
      onProgress(table, counts[table]);
      yield next.value;
    }
  },
});

/** How the line of a row begins: as JSON, since a name is one of ours and needs no escapes. */
export const beginning = (table: string): string => `["${table}",`;

export function headerIn(line: string, known: readonly string[]): Header {
  const header = jsonIn(line) as Partial<Header> | undefined;
  if (header?.steady !== 'backup' || typeof header.format !== 'number') {
    throw new BackupError('is not a backup of Steady');
  }
  if (header.format > FORMAT) {
    throw new BackupError(
      `was made by a newer Steady (format ${header.format}, and this one knows ${FORMAT}): restore it with that release`,
    );
  }
  const { migration, tables } = header;
  const isWhole = typeof migration === 'string' && Array.isArray(tables) && tables.every(isTable);
  if (!isWhole) throw new BackupError('is damaged: its first line is not complete');
  if (!known.includes(migrationOf({ migration }))) {
    throw new BackupError(
      `was made by another release of Steady (this one does not know ${migration}): restore it with that release`,
    );
  }
  return header as Header;
}

/** The migration that makes the tables of a backup. */
export const migrationOf = ({ migration }: Pick<Header, 'migration'>): string =>
  LAST_OF_CANDIDATE.includes(migration) ? BASELINE : migration;

function isTable(table: unknown): boolean {
  const { name, columns, sequences } = (table ?? {}) as Partial<TableInFile>;
  return [name, ...(columns ?? [])].every(isName) && !!columns?.length && isRecord(sequences);
}

const isName = (name: unknown) => typeof name === 'string' && /^[a-z_][a-z0-9_]*$/.test(name);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined if the line is no trailer. */
export function trailerIn(line: string): Trailer | undefined {
  const { counts, sha256 } = (jsonIn(line) ?? {}) as Partial<Trailer>;
  return isRecord(counts) && typeof sha256 === 'string' ? ({ counts, sha256 } as Trailer) : undefined;
}

function jsonIn(line: string): unknown {
  try {
    const found: unknown = JSON.parse(line);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
