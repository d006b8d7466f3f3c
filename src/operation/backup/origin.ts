import type { QueryExecutorProvider } from 'kysely';
import { DATABASE_ID, storedValue } from '../../features/reminders/channels/stored-values.js';
import { databaseIn } from './file.js';
import type { Kept } from './folder.js';

/** Whether the file is surely of another database. A restored database goes on as the one that the backup is of. */
export async function isOfAnother(query: QueryExecutorProvider, file: string): Promise<boolean> {
  const [ours, its] = await Promise.all([
    storedValue(query, DATABASE_ID).catch(() => undefined), // it has no tables yet
    databaseIn(file).catch(() => undefined), // damaged
  ]);
  return ours !== undefined && its !== undefined && ours !== its;
}

/** Files of other databases neither put off a backup nor count as one. */
export async function newestOwn(
  newestFirst: readonly Kept[],
  isStranger: (kept: Kept) => Promise<boolean>,
): Promise<Kept | undefined> {
  for (const each of newestFirst) if (!(await isStranger(each))) return each;
  return undefined;
}
