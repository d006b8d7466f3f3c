import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../src/database/faults.js';
import { LATEST_START } from '../../src/database/in-time.js';
import { guard } from '../../src/database/pool-guard.js';
import { asRequest } from '../../src/database/request.js';
import { startProxy } from '../support/proxy.js';
import { type PostgresServer, startPostgres } from '../support/server.js';

const NOT_SENT = { code: 'NOT_SENT', outcome: 'NOT_APPLIED' };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return server.stop;
});

function poolOf(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ max: 1, connectionTimeoutMillis: 60_000, ...settings });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  guard(pool, 500);
  onTestFinished(() => pool.end());
  return pool;
}

async function proxied() {
  const proxy = await startProxy(Number(new URL(server.url('postgres')).port));
  onTestFinished(() => proxy.stop());
  const pool = poolOf({ connectionString: proxy.through(server.url('postgres')) });
  return { proxy, pool, client: await pool.connect() };
}

describe('A request', () => {
  it('is refused at once when a hundred others wait for a connection', async () => {
    const pool = poolOf({ connectionString: server.url('postgres') });
    const taken = await pool.connect();
    const others = Array.from({ length: 100 }, () => pool.connect().then((client) => client.release()));
    await expect(pool.connect()).rejects.toMatchObject(NOT_SENT);
    taken.release();
    await Promise.all(others);
  });

  it('whose time is up does not wait for a connection', async () => {
    const pool = poolOf({ connectionString: server.url('postgres') });
    const taken = await pool.connect();
    await expect(asRequest(-1, () => pool.connect())).rejects.toMatchObject(NOT_SENT);
    taken.release();
  });

  it('whose time is used up by comparing the clocks sends nothing, and leaves the connection usable', async () => {
    const { proxy, pool, client } = await proxied();
    proxy.delay(100);
    const asked = asRequest(150, () => client.query('select $1::timestamptz', [LATEST_START]));
    await expect(asked).rejects.toMatchObject(NOT_SENT);
    await proxy.heal();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    client.release();
    expect(pool.idleCount).toBe(1);
  });

  it('does not wait for the end of a transaction that failed', async () => {
    const { proxy, pool, client } = await proxied();
    await client.query('begin');
    proxy.everywhere((wire) => wire.stall());
    await client.query('rollback');
    expect(pool.totalCount).toBe(0);
  });
});

describe('A database that cannot be reached, whatever the reason,', () => {
  it.each([
    ['no such database', () => server.url('nothing')],
    ['no such user', () => server.url('postgres').replace(/\/\/[^:@]+/, '//nobody')],
    ['no TLS', () => `${server.url('postgres')}?sslmode=verify-full`],
    ['no such socket', () => 'postgres:///postgres?host=/nonexistent'],
  ])('is unavailable: %s', async (_reason, url) => {
    const error = await poolOf({ connectionString: url() })
      .connect()
      .catch((error: unknown) => error);
    expect(refusalOf(error)?.details).toEqual({ outcome: 'NOT_APPLIED', retryAfter: 1 });
  });
});
