import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import type { Config } from '../../base/config.js';
import { syncDirectory } from '../../base/files/fsync.js';
import type { Remember, Tombstone } from '../../features/account/deletion.js';
import { type RevocationTables, selectDeletions } from '../../features/account/revocation.queries.js';
import { BackupError } from './format.js';

/** Beside the backups: which accounts were deleted since. */
const TOMBSTONES = 'deleted-accounts';

const LINE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/;

/** The beginning of one, as a loss of power leaves it. */
const CUT_OFF = /^[0-9a-f-]*(?: [\dT:.-]*)?$/;

/** Of a whole line. */
const LENGTH = '00000000-0000-0000-0000-000000000000 2026-11-21T12:00:00.000Z'.length;

/** Resolves when the line is on the disk. One write with `a` is whole, whoever else writes. */
export async function addTombstone(folder: string, { id, deletedAt }: Tombstone): Promise<void> {
  const handle = await open(path.join(folder, TOMBSTONES), 'a', 0o600);
  try {
    // Begins a line of its own: the one before may have been cut off by a loss of power.
    await handle.writeFile(`\n${id} ${deletedAt.toISOString()}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  syncDirectory(folder);
}

/** Those beside a backup, if there are any; a file that the operator names must be there. */
export function readTombstones(backup: string, named?: string): Tombstone[] {
  const file = named ?? path.join(path.dirname(backup), TOMBSTONES);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && named === undefined) return [];
    throw new BackupError(`${file} cannot be read: ${message}.`);
  }
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line, index) => {
    const [, id, at = ''] = LINE.exec(line) ?? [];
    const deletedAt = new Date(at);
    if (id && !Number.isNaN(deletedAt.getTime())) return { id, deletedAt };
    if (line.length < LENGTH && CUT_OFF.test(line)) return []; // a deletion that was never answered
    throw new BackupError(`${file} is damaged: its line ${index + 1} names no account and date.`);
  });
}

/** Rows that are read by one statement. */
const CHUNK = 1_000;

/**
 * Adds the lines that are missing: of a process that died between deleting and writing, that has no folder for
 * backups, or that never heard whether the deletion was committed.
 */
export async function addMissing(folder: string, query: Kysely<RevocationTables>): Promise<void> {
  const known = new Set(readTombstones(path.join(folder, TOMBSTONES)).map(({ id }) => id));
  let place: Tombstone = { id: '00000000-0000-0000-0000-000000000000', deletedAt: new Date(0) };
  for (;;) {
    const rows = await selectDeletions(query, place, CHUNK).execute();
    for (const each of rows) if (!known.has(each.id)) await addTombstone(folder, each);
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK) return;
    place = last;
  }
}

/** Deletes the accounts again. Returns how many were there. */
export async function deleteAgain(query: Kysely<unknown>, tombstones: readonly Tombstone[]): Promise<number> {
  const known = JSON.stringify(tombstones);
  await sql`
    insert into deleted_accounts (id, deleted_at)
    select (line ->> 'id')::uuid, max((line ->> 'deletedAt')::timestamptz)
    from jsonb_array_elements(${known}::jsonb) as line group by 1
    on conflict (id) do nothing`.execute(query);
  const { rows } = await sql`
    delete from users using deleted_accounts where users.id = deleted_accounts.id returning users.id`.execute(
    query,
  );
  return rows.length;
}

/** The account is deleted, whatever happens to the line: the next backup holds the tombstone, too. */
export const rememberIn =
  ({ backupDir }: Pick<Config, 'backupDir'>, onWarning: (line: string) => void): Remember =>
  async (tombstone) => {
    if (backupDir === undefined) return;
    await addTombstone(backupDir, tombstone).catch((error: Error) =>
      onWarning(`The deletion of an account could not be written beside the backups: ${error.message}`),
    );
  };
