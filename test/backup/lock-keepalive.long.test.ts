import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { whileHeld } from '../../src/backup/lock-keepalive.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { withServer } from '../support/with-server.js';

const LOCK = 1;

const server = withServer();

async function opened() {
  const proxy = await startProxy(Number(new URL(server.url('postgres')).port));
  onTestFinished(() => proxy.stop());
  const url = proxy.through(server.url('postgres'));
  const database = await openServer(model, { url, poolSize: 2, patience: unhurried, migrates: false });
  onTestFinished(() => database.close());
  return { database, proxy };
}

type Opened = Awaited<ReturnType<typeof opened>>['database'];

const holding = <T>(database: Opened, work: (lost: AbortSignal) => Promise<T>) =>
  database.withLock<unknown, T>(LOCK, (connection) => whileHeld(connection, work, { every: 20 }));

describe('A connection that holds a lock for long', () => {
  it('is not silent meanwhile, and is silent afterwards', async () => {
    const { database } = await opened();
    const beats = async () => {
      const { rows } = await sql<{ at: Date }>`
        select query_start as at from pg_stat_activity where query = 'select 1 as beat'`.execute(
        database.query(),
      );
      return rows[0]?.at.getTime();
    };
    await holding(database, async (lost) => {
      const first = await eventually(beats);
      await eventually(async () => (await beats()) !== first);
      expect(lost.aborted).toBe(false);
    });
    expect(await beats()).toBeUndefined();
  });

  it('says when it is lost, and the lock with it', async () => {
    const { database } = await opened();
    const found = await holding(database, async (lost) => {
      await server.execute(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`);
      await eventually(() => lost.aborted);
      return 'given up';
    });
    expect(found).toBe('given up');
    expect(await holding(database, async () => 'held again')).toBe('held again');
  });

  it('that does not answer any more is not waited for, even to give the lock back', async () => {
    const { database, proxy } = await opened();
    const done = database.withLock(LOCK, async () => {
      proxy.everywhere((wire) => wire.stall());
      return 'done';
    });
    expect(await done).toBe('done');
    await proxy.stop();
  });
});
