import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { holding, lockWaits } from '../support/locks.js';
import { type TestUser, world } from '../support/world.js';
import { agentWith, habitOf, tokenOf, withAgent } from './agent.js';

const countOf = async (user: TestUser, id: string): Promise<number> =>
  (await user.query(`{ task(id: "${id}") { completionCount } }`)).task.completionCount;

async function withWater() {
  const here = await withAgent();
  const habit = await habitOf(here.ana, { title: 'Water', target: { amount: 8, unit: 'glasses' } });
  return { ...here, habit };
}

describe('A completion', () => {
  it('without a key that is repeated within two minutes counts once, and the answer says so', async () => {
    const { agent, ana, clock, habit } = await withWater();
    const tea = await habitOf(ana, { title: 'Tea' });
    const first = await agent.does('complete', { habit, amount: 2, note: 'cold' });
    expect(first).toMatchObject({ isRepeated: false, message: 'Recorded for 2026-11-21.' });
    clock.advance({ seconds: 119 });
    const again = await agent.does('complete', { habit: 'water', amount: 2, note: 'again' });
    expect(again).toMatchObject({ isRepeated: true, completion: first.completion });
    expect(again.message).toMatch('nothing is counted again');
    const others = [{}, { amount: 1 }, { day: 'yesterday' }, { habit: tea }];
    for (const isRepeated of [false, true])
      for (const other of others)
        expect(await agent.does('complete', { habit, ...other })).toMatchObject({ isRepeated });
    expect(await countOf(ana, habit)).toBe(others.length);
    clock.advance({ seconds: 1 });
    expect(await agent.does('complete', { habit, amount: 2 })).toMatchObject({ isRepeated: false });
  });

  it('with a key counts once by it, however long ago, and with `once` once a day, whoever recorded it', async () => {
    const { agent, ana, clock, habit } = await withWater();
    const call = (key: string, amount = 1) => agent.does('complete', { habit, amount, key });
    expect([(await call('a')).isRepeated, (await call('b')).isRepeated]).toEqual([false, false]);
    await ana.completes({ id: Number(habit) });
    clock.advance({ hours: 3 });
    expect(await call('a')).toMatchObject({ isRepeated: true });
    const refused = await agent.isRefused('complete', { habit, amount: 5, key: 'a' });
    expect(refused).toMatchObject({ reason: 'KEY_REUSED', fields: [{ name: 'key' }] });
    const again = await agent.does('complete', { habit, amount: 2, once: true, key: 'c' });
    expect(again).toMatchObject({ isRepeated: true, completion: { amount: null } });
    expect(again.message).toMatch('send a key of its own, without `once`');
    for (const call of [{ once: true, day: 'yesterday' }, { once: false }])
      expect(await agent.does('complete', { habit, ...call })).toMatchObject({ isRepeated: false });
    expect(await countOf(ana, habit)).toBe(5);
  });

  it('is also the one that was recorded on the page, and not one that was taken back', async () => {
    const { agent, ana, habit } = await withWater();
    await ana.query(`mutation { completeTask(taskId: "${habit}") { task { id } } }`);
    const { isRepeated, completion } = await agent.does('complete', { habit });
    expect(isRepeated).toBe(true);
    await agent.does('undo', { completionId: completion.id });
    for (const _ of [1, 2]) {
      expect(await agent.does('complete', { habit })).toMatchObject({ isRepeated: false });
      await agent.does('undo', { habit });
    }
    expect(await countOf(ana, habit)).toBe(0);
  });
});

it('Without a key, calls at once on two processes count once, and again after two minutes', async () => {
  const database = await ownDatabase();
  const here = await world({ database });
  const there = await world({ database, clock: here.clock });
  const ana = await here.newUser();
  const habit = await habitOf(ana);
  const token = await tokenOf(ana);
  const agents = [await agentWith(here.base, token), await agentWith(there.base, token)];
  const counters = sql`select from user_progress where user_id = ${ana.id} for no key update`;
  for (const seconds of [0, 120]) {
    here.clock.advance({ seconds });
    const release = await holding(database, counters);
    const calls = [...agents, ...agents].map((agent) => agent.does('complete', { habit }));
    // All of them have looked back before one of them is recorded.
    await eventually(async () => (await lockWaits(database.query())) === calls.length);
    await release();
    const repeated = (await Promise.all(calls)).map(({ isRepeated }) => isRepeated);
    expect(repeated.sort()).toEqual([false, true, true, true]);
  }
  expect(await countOf(ana, habit)).toBe(2);
});
