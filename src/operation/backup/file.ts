import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncDirectory } from '../../base/files/fsync.js';
import {
  BackupError,
  beginning,
  CHUNK,
  type Chunk,
  type Contents,
  type Counts,
  type Header,
  headerIn,
  type Trailer,
  trailerIn,
} from './format.js';

/** Writes the contents as a backup file. */
export async function writeTo(stream: Writable, contents: Contents): Promise<Trailer> {
  let trailer: Trailer = { counts: {}, sha256: '' };
  async function* texts(): AsyncGenerator<string> {
    yield `${JSON.stringify(contents.header)}\n`;
    const rows = contents.rows();
    for (let next = await rows.next(); ; next = await rows.next()) {
      if (next.done) {
        trailer = next.value;
        yield `${JSON.stringify(trailer)}\n`;
        return;
      }
      yield `${next.value.lines.join('\n')}\n`;
    }
  }
  await pipeline(texts, createGzip(), stream);
  return trailer;
}

/**
 * Writes beside the file and renames, each synced to the disk: under its name there is a whole backup, or none.
 */
export async function writeFile(file: string, contents: Contents): Promise<Trailer> {
  const draft = `${file}.${process.pid}.partial`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    const stream = handle.createWriteStream({ flush: true });
    const trailer = await writeTo(stream, contents);
    await rename(draft, file);
    syncDirectory(path.dirname(file));
    return trailer;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw NOT_WRITTEN.test(code) ? new BackupError(`${file} cannot be written: ${message}.`) : error;
  }
}

/** What a disk answers; what a database answers passes through here too. */
const NOT_WRITTEN = /^(EACCES|EDQUOT|EEXIST|EFBIG|EIO|EISDIR|ENOENT|ENOSPC|ENOTDIR|EPERM|EROFS)$/;

/**
 * Checks all of a file. Its rows are read afterwards, so that nothing is restored from one
 * that is damaged.
 */
export async function readFile(
  file: string,
  known: readonly string[],
): Promise<Contents & { trailer: Trailer }> {
  try {
    const { header, trailer } = await check(file, known);
    return { header, trailer, rows: () => rowsIn(file, trailer) };
  } catch (error) {
    throw explained(file, error);
  }
}

/** The id of the database that a backup is of, without reading all of it. */
export async function databaseIn(file: string): Promise<string | undefined> {
  for await (const [first = ''] of linesIn(file)) return (JSON.parse(first) as Partial<Header>).database;
  return undefined;
}

async function check(file: string, known: readonly string[]): Promise<{ header: Header; trailer: Trailer }> {
  const hash = createHash('sha256');
  const counts: Counts = {};
  let header: Header | undefined;
  let place = 0;
  let trailer: Trailer | undefined;
  const examine = (line: string, { tables }: Header) => {
    if (trailer) throw new BackupError('is damaged: it goes on after its last line');
    while (place < tables.length && !line.startsWith(beginning(tables[place]?.name ?? ''))) place += 1;
    const name = tables[place]?.name;
    if (name === undefined) {
      trailer = trailerIn(line);
      if (!trailer) throw new BackupError('is damaged: it has a line that is no row of its tables');
    } else {
      counts[name] = (counts[name] ?? 0) + 1;
      hash.update(`${line}\n`);
    }
  };
  for await (const lines of linesIn(file)) {
    header ??= headerIn(lines.shift() ?? '', known);
    for (const line of lines) examine(line, header);
  }
  if (!header || !trailer) throw new BackupError('is cut off: its last line is missing');
  const expected = trailer.counts;
  const isAsCounted = header.tables.every(({ name }) => expected[name] === (counts[name] ?? 0));
  if (hash.digest('hex') !== trailer.sha256 || !isAsCounted) {
    throw new BackupError('is damaged: its checksum is not that of its rows');
  }
  return { header, trailer };
}

async function* rowsIn(file: string, trailer: Trailer): AsyncGenerator<Chunk, Trailer> {
  let chunk: Chunk = { table: '', lines: [] };
  for await (const lines of linesIn(file)) {
    for (const line of lines) {
      const isRow = line.startsWith('['); // the first line and the last are none
      const table = isRow ? line.slice(2, line.indexOf('"', 2)) : '';
      if (table !== chunk.table || chunk.lines.length === CHUNK) {
        if (chunk.lines.length > 0) yield chunk;
        chunk = { table, lines: [] };
      }
      if (isRow) chunk.lines.push(line);
    }
  }
  return trailer;
}

/** Far more than the largest row has. A small file may unpack to a line of any length. */
const LONGEST_LINE_CHARACTERS = 1_048_576;

/** As many at a time as come together: a step of a generator for each line would take longer than all else. */
async function* linesIn(file: string): AsyncGenerator<string[], undefined> {
  const gunzip = createGunzip();
  const piped = pipeline(createReadStream(file), gunzip);
  piped.catch(() => {}); // reading fails with the same error
  let rest = '';
  for await (const text of gunzip.setEncoding('utf8') as AsyncIterable<string>) {
    const end = text.indexOf('\n');
    rest += end < 0 ? text : text.slice(0, end); // not searched again: a long line comes in many parts
    if (rest.length > LONGEST_LINE_CHARACTERS) throw new BackupError('is damaged, or not a backup of Steady');
    if (end < 0) continue;
    const [, ...lines] = text.slice(end).split('\n');
    yield [rest, ...lines.slice(0, -1)];
    rest = lines.at(-1) ?? '';
  }
  await piped;
  if (rest) yield [rest];
}

const COMPRESSION: Record<string, string> = {
  Z_BUF_ERROR: 'is cut off',
  Z_DATA_ERROR: 'is damaged, or not a backup of Steady',
};

function explained(file: string, error: unknown): BackupError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const fault = error instanceof BackupError ? message : COMPRESSION[code];
  return new BackupError(fault ? `${file} ${fault}.` : `${file} cannot be read: ${message}.`);
}
