import type { Pool } from 'pg';
import { leaveServer } from '../pool/shared.js';
import { connectionTo, impatient, type PoolSettings, prepare } from './connect.js';
import type { Patience } from './limits.js';
import { type StandbySettings, WatchedStandby } from './standby.js';

/** `primary` is the address of the server that it follows, past any pooler. */
export async function openStandby(
  primary: string,
  { poolSize, patience, comments }: PoolSettings & { poolSize: number },
  { url, ...settings }: StandbySettings & { url: string },
): Promise<WatchedStandby> {
  const { default: pg } = await import('pg');
  const poolOf = (address: string, limits: Patience, max: number, name: string): Pool => {
    const to = { ...connectionTo(address, limits), max, application_name: name };
    const pool = new pg.Pool({ ...to, types: new pg.TypeOverrides() });
    pool.on('error', () => {}); // the next look tells
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  };
  const pool = poolOf(url, { ...patience, connection: impatient.connection }, poolSize, 'steady reads');
  const shared = prepare(pool, {
    url,
    patience,
    ...(comments !== undefined && { comments }),
    mayBeReadOnly: true,
  });
  const ofStandby = poolOf(url, impatient, 1, 'steady lag');
  const ofPrimary = poolOf(primary, impatient, 1, 'steady lag');
  const standby = new WatchedStandby(
    { pool, leave: () => leaveServer(shared), ofStandby, ofPrimary },
    settings,
  );
  await standby.begin().catch(async (error) => {
    await standby.close();
    throw error;
  });
  return standby;
}
