import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DataDirectoryError } from '../../files/data-directory.js';
import { unusable } from './unusable.js';

/** The major version of PGlite's PostgreSQL, which opens no files of any other. */
export const POSTGRES = '18';

/** Without its file PG_VERSION, PGlite would create a new database over the data. */
export function requireSameVersion(folder: string): void {
  const file = path.join(folder, 'PG_VERSION');
  if (!existsSync(file)) throw new DataDirectoryError(unusable(folder, 'it has no PG_VERSION'));
  const version = readFileSync(file, 'utf8').trim();
  if (version === POSTGRES) return;
  if (!/^\d+$/.test(version)) throw new DataDirectoryError(unusable(folder, 'its PG_VERSION is damaged'));
  throw new DataDirectoryError(
    `The database in ${folder} was made by PostgreSQL ${version}, and this Steady has PostgreSQL ${POSTGRES}, which cannot open it. Make a backup with the Steady that made it, and restore that with this one into an empty DATA_DIR.`,
  );
}
