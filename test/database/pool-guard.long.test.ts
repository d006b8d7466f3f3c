import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asRequest, READ_LIMIT_BYTES } from '../../src/base/request.js';
import { refusalOf } from '../../src/database/outcome.js';
import { type PoolConnection } from '../../src/database/pool/connection.js';
import { GuardedPool, type GuardSettings } from '../../src/database/pool/guard.js';
import { startProxy } from '../support/proxy.js';
import { withServer } from '../support/with-server.js';

const server = withServer();

function poolOf(settings: pg.PoolConfig, chosen: Partial<GuardSettings> = {}): GuardedPool {
  const pool = new GuardedPool(new pg.Pool({ max: 1, connectionTimeoutMillis: 60_000, ...settings }), {
    startLimitMs: 500,
    ...chosen,
  });
  onTestFinished(() => pool.end());
  return pool;
}

async function proxied(settings: pg.PoolConfig = {}) {
  const proxy = await startProxy(Number(new URL(server.url('postgres')).port));
  onTestFinished(() => proxy.stop());
  const pool = poolOf({ connectionString: proxy.through(server.url('postgres')), ...settings });
  return { proxy, pool, client: await pool.connect() };
}

it.each([
  ['no such database', () => server.url('nothing')],
  ['no such user', () => server.url('postgres').replace(/\/\/[^:@]+/, '//nobody')],
  ['no TLS', () => `${server.url('postgres')}?sslmode=verify-full`],
  ['no such socket', () => 'postgres:///postgres?host=/nonexistent'],
])(
  'A database that cannot be reached is unavailable, however often it is asked: %s',
  async (_reason, url) => {
    const pool = poolOf({ connectionString: url() });
    for (const _again of [1, 2]) {
      const error = await asAna(() => pool.connect()).catch((error: unknown) => error);
      const details = { outcome: 'NOT_APPLIED', retryAfter: 1 };
      expect(refusalOf(error)).toMatchObject({ reason: 'DATABASE_AWAY', details });
    }
    expect(pool.state()).toEqual({ open: 0, idle: 0, waiting: 0 });
  },
);

const asAna = <T>(work: () => T) => asRequest(60_000, work, 'ana');

it('A request that waits for others is told DATABASE_AWAY while it does not answer, and OVERLOADED again when it does', async () => {
  /** How long it may wait is 1.6 times as much. */
  const waits = (pool: GuardedPool) => asRequest(200, () => pool.connect(), 'ben').catch(refusalOf);
  const { proxy, pool, client } = await proxied({ query_timeout: 50 });
  proxy.stall();
  await expect(asAna(() => client.query('select 1'))).rejects.toThrow('Query read timeout');
  const held = pool.connect(); // gets no connection
  expect(await waits(pool)).toMatchObject({ reason: 'DATABASE_AWAY', details: { outcome: 'NOT_APPLIED' } });
  await proxy.heal();
  const again = await held;
  await again.query('select 1');
  expect(await waits(pool)).toMatchObject({ reason: 'OVERLOADED' });
  again.release();
});

it('A connection that is old is replaced, and those that were made together not all at once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pool = poolOf({ connectionString: server.url('postgres'), max: 20 }, { lifetimeMs: 60_000 });
  /** All in use at once, by their numbers at the server. */
  const inUse = async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => pool.connect()));
    const answers = await Promise.all(taken.map((each) => each.query('select pg_backend_pid() as pid')));
    for (const each of taken) each.release();
    return answers.map(({ rows }) => rows[0]?.pid);
  };
  const first = await inUse();
  const kept = async () => {
    let last: unknown[] = [];
    for (let times = 0; times < 25; times += 1) last = await inUse();
    return last.filter((pid) => first.includes(pid)).length;
  };
  expect(await kept()).toBe(20);
  vi.advanceTimersByTime(90_000);
  const half = await kept();
  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(20);
  vi.advanceTimersByTime(30_000);
  expect(await kept()).toBe(0);
});

it('What one request reads is bounded, be it one answer or many, and the next request reads again', async () => {
  const TOO_MUCH = { kind: 'tooMuch', details: { size: { limit: 'bytes read', maximum: READ_LIMIT_BYTES } } };
  const pool = poolOf({ connectionString: server.url('postgres') });
  async function read(megabytes: number) {
    const client = await pool.connect();
    const text = `select repeat('x', 1000000) as text from generate_series(1, ${megabytes})`;
    return client.query(text).finally(() => client.release());
  }
  await expect(asAna(() => read(1_000))).rejects.toMatchObject(TOO_MUCH);
  await asAna(async () => {
    expect((await read(10)).rows).toHaveLength(10);
    for (const more of [10, 0]) await expect(read(more)).rejects.toMatchObject(TOO_MUCH);
  });
  expect((await asAna(() => read(1))).rows).toHaveLength(1);
  expect(pool.state()).toMatchObject({ open: pool.state().idle });
});

it('A statement with a name is prepared once, and a text that requests send again and again from the fourth time on', async () => {
  const client = await poolOf({ connectionString: server.url('postgres') }).connect();
  for (const id of [1, 2]) {
    const named = { name: 'steady_test', text: 'select $1::int as id', values: [id] };
    expect((await client.query(named)).rows).toEqual([{ id }]);
  }
  const prepared = async (text: string) =>
    (await client.query(`select from pg_prepared_statements where statement = '${text}'`)).rows.length;
  expect(await prepared('select $1::int as id')).toBe(1);
  const text = 'select $1::int as again';
  for (const expected of [0, 0, 0, 1, 1]) {
    expect((await asRequest(60_000, () => client.query(text, [1]))).rows).toEqual([{ again: 1 }]);
    expect(await prepared(text)).toBe(expected);
  }
  client.release();
});

it('A statement that is not answered in time, or whose connection the server ends, is given up with its connection', async () => {
  const pool = poolOf({ connectionString: server.url('postgres'), query_timeout: 200 });
  const client = await pool.connect();
  await expect(client.query('select pg_sleep(60)')).rejects.toThrow('Query read timeout');
  expect(pool.state().open).toBe(0);
  const failed = (await pool.connect()).query('select pg_terminate_backend(pg_backend_pid())');
  await expect(failed).rejects.toMatchObject({ code: '57P01' });
  expect(pool.state().open).toBe(0);
});

describe('A read whose connection is lost', () => {
  const PID = 'select pg_backend_pid() as pid';
  const FATAL = 'select pg_terminate_backend(pg_backend_pid())';

  it('is asked once more, though all other connections were lost with it', async () => {
    const pool = poolOf({ connectionString: server.url('postgres'), max: 4 });
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    const pids = await Promise.all(clients.map(async (each) => (await each.query(PID)).rows[0]?.pid));
    const [client, ...others] = clients as [PoolConnection, ...PoolConnection[]];
    for (const other of others) other.release();
    await server.execute(`select pg_terminate_backend(pid) from unnest('{${pids}}'::int[]) as pid`);
    const { rows } = await asAna(() => client.query(PID));
    expect(pids).not.toContain(rows[0]?.pid);
    expect(pool.state()).toMatchObject({ open: pool.state().idle });
  });

  it('fails when the next one is lost too, in a transaction, and outside of requests', async () => {
    const pool = poolOf({ connectionString: server.url('postgres') });
    const lost = { code: '57P01' };
    await expect(asAna(async () => (await pool.connect()).query(FATAL))).rejects.toMatchObject(lost);
    await asAna(async () => {
      const client = await pool.connect();
      await client.query('begin');
      await expect(client.query(FATAL)).rejects.toMatchObject(lost);
    });
    await expect((await pool.connect()).query(FATAL)).rejects.toMatchObject(lost);
    expect(pool.state().open).toBe(0);
  });
});
