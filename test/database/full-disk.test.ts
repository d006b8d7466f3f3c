import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { Room } from '../../src/database/pool/connection.js';
import { GuardedPool } from '../../src/database/pool/guard.js';
import { eventually } from '../support/eventually.js';

const FULL = Object.assign(new Error('No space left on device'), { code: '53100' });

/** A pool of two connections, whose next session may find no room, and which are kept for so long. */
function poolOn(room: Room, lifetimeMs: number) {
  let isFull = false;
  const inside = new pg.Pool({
    connectionString: new URL('/postgres', inject('template').url).href,
    max: 2,
    verify: (_client, done) => {
      done(isFull ? FULL : undefined);
      isFull = false;
    },
  });
  const pool = new GuardedPool(inside, { startLimitMs: 0, room, lifetimeMs });
  onTestFinished(() => pool.end());
  return { pool, fill: () => (isFull = true) };
}

describe('Where a full disk lets no session begin', () => {
  it('the open connections are shared, and there are as many as before once there is room', async () => {
    const room = new Room();
    const { fill, pool } = poolOn(room, 100_000);
    const first = await pool.connect();
    fill();
    const second = pool.connect();
    await eventually(() => room.isFull);
    first.release();
    const shared = await second;
    const { open } = pool.state();
    room.noteSome();
    const another = await pool.connect();
    const openLater = pool.state().open;
    for (const each of [shared, another]) each.release(); // before what may fail: the pool waits for them
    expect([open, openLater]).toEqual([1, 2]);
  });

  it('the open ones are kept, however old they are', async () => {
    const room = new Room();
    const { pool } = poolOn(room, 0);
    const both = [await pool.connect(), await pool.connect()];
    for (const each of both) each.release();
    room.noteNone(FULL);
    const kept = await pool.connect();
    kept.release();
    expect(both).toContain(kept);
    expect(pool.state().open).toBe(2);
  });
});
