import { sql } from 'kysely';
import { model } from '../../mikro-orm.config.js';
import type { Tombstone } from '../accounts/deletion.js';
import { systemClock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { replaceEmbedded } from '../database/embedded/replace.js';
import { DataDirectory } from '../files/data-directory.js';
import { type OpenOptions, openDatabase } from '../startup/instance.js';
import type { Contents } from './format.js';
import { load, type Restored, requireEmpty } from './load.js';

/** The embedded database makes no checkpoints by itself: its log would grow as long as the rows go on. */
const CHUNKS_BETWEEN_CHECKPOINTS = 100;

/** Brings the contents into the configured database, which must be empty. */
export async function intoDatabase(
  config: Config,
  contents: Contents,
  options: OpenOptions,
  tombstones: readonly Tombstone[] = [],
): Promise<Restored> {
  const loading = { clock: systemClock, tombstones };
  if (config.databaseUrl) {
    const database = await openDatabase(config, { ...options, migrates: false });
    return load(database, contents, loading).finally(() => database.close());
  }
  let chunks = 0;
  return replaceEmbedded(model, new DataDirectory(config.dataDir), {
    requireEmpty: isEmpty,
    fill: (draft) =>
      load(draft, contents, {
        ...loading,
        afterChunk: async (query) => {
          chunks += 1;
          if (chunks % CHUNKS_BETWEEN_CHECKPOINTS === 0) await sql`checkpoint`.execute(query);
        },
      }),
  });
}

const isEmpty = (database: Database) =>
  database.transaction((tx) => requireEmpty(tx.getKysely(), database.description));
