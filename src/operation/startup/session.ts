import pg from 'pg';
import type { Config } from '../../base/config.js';
import { DataDirectory } from '../../base/files/data-directory.js';
import { requireDatabase } from '../../database/embedded/cluster.js';
import { startOrJoinEmbedded } from '../../database/embedded/open.js';
import { ServerError } from '../../database/outcome.js';
import { connectionTo, preferred } from '../../database/server/connect.js';
import { unhurried } from '../../database/server/open.js';
import { embeddedOptions, type OpenOptions } from './instance.js';

/** A session on the configured database, past pool and guard. */
export interface Session {
  client: pg.Client;
  close: () => Promise<void>;
}

/** Values come as PostgreSQL writes them. */
const asWritten = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;

/** Migrates nothing, and makes no database. */
export async function openSession(config: Config, options: OpenOptions): Promise<Session> {
  const { databaseUrl, databaseDirectUrl = databaseUrl } = config;
  if (databaseDirectUrl)
    return connected(databaseDirectUrl).catch((error: unknown) => {
      throw new ServerError(
        error,
        databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL',
      );
    });
  const directory = new DataDirectory(config.dataDir);
  requireDatabase(directory);
  const embedded = await startOrJoinEmbedded(directory, {
    ...embeddedOptions(config, options),
    takesOver: false,
  });
  const { client, close } = await connected(embedded.address).catch(async (error: unknown) => {
    await embedded.stop();
    throw error;
  });
  return { client, close: () => close().then(embedded.stop) };
}

async function connected(url: string): Promise<Session> {
  const client = new pg.Client({
    ...connectionTo(await preferred(url, unhurried), unhurried),
    types: asWritten,
  });
  client.on('error', () => {}); // the next statement says so
  await client.connect();
  return { client, close: () => client.end() };
}
