import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { configOf, ownDatabase } from '../support/database.js';
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
    const first = await agent.does('complete', { habit, amount: 2 });
    expect(first).toMatchObject({ isRepeated: false, message: 'Recorded for 2026-11-21.' });
    clock.advance({ seconds: 119 });
    const again = await agent.does('complete', { habit: 'water', amount: 2, note: 'again' });
    expect(again).toMatchObject({ isRepeated: true, completion: first.completion });
    expect(again.message).toMatch('nothing is counted again');
    expect(await countOf(ana, habit)).toBe(1);
    clock.advance({ seconds: 1 });
    expect(await agent.does('complete', { habit, amount: 2 })).toMatchObject({ isRepeated: false });
    expect(await agent.does('complete', { habit, amount: 2 })).toMatchObject({ isRepeated: true });
    expect(await countOf(ana, habit)).toBe(2);
  });

  it('with `once` counts once a day, whoever recorded it and however long ago', async () => {
    const { agent, ana, clock, habit } = await withWater();
    await ana.completes({ id: Number(habit) });
    clock.advance({ hours: 3 });
    const again = await agent.does('complete', { habit, amount: 2, once: true, key: 'a' });
    expect(again).toMatchObject({ isRepeated: true, completion: { amount: null } });
    expect(again.message).toMatch('send a key of its own, without `once`');
    expect(await agent.does('complete', { habit, once: true, day: 'yesterday' })).toMatchObject({
      isRepeated: false,
    });
    expect(await agent.does('complete', { habit, once: false })).toMatchObject({ isRepeated: false });
    expect(await countOf(ana, habit)).toBe(3);
  });

  it('tells no note of what was there already to a token without READ', async () => {
    const { base, agent, ana, habit } = await withWater();
    const noted = 'mutation ($id: ID!) { completeTask(taskId: $id, note: "Knee") { isReplayed } }';
    await ana.query(noted, { id: habit });
    const writer = await agentWith(base, await tokenOf(ana, ['COMPLETIONS']));
    for (const input of [{}, { once: true, key: 'a' }]) {
      const there = { isRepeated: true, completion: { note: null } };
      expect(await writer.does('complete', { habit: 'Water', ...input })).toMatchObject(there);
      const read = { isRepeated: true, completion: { note: 'Knee' } };
      expect(await agent.does('complete', { habit, ...input })).toMatchObject(read);
    }
    const own = await writer.does('complete', { habit: 'Water', key: 'b', note: 'Warm' });
    expect(own).toMatchObject({ isRepeated: false, completion: { note: 'Warm' } });
  });

  it('of another habit, day or amount is another one', async () => {
    const { agent, ana, habit } = await withWater();
    const tea = await habitOf(ana, { title: 'Tea' });
    const calls = [{}, { amount: 1 }, { amount: 2 }, { day: 'yesterday' }, { habit: tea }];
    for (const isRepeated of [false, true])
      for (const call of calls)
        expect(await agent.does('complete', { habit, ...call })).toMatchObject({ isRepeated });
    expect(await agent.does('complete', { habit, day: '2026-11-20' })).toMatchObject({ isRepeated: true });
    expect(await countOf(ana, habit)).toBe(calls.length - 1);
  });

  it('is also the one that was recorded on the page, and not one that was taken back', async () => {
    const { agent, ana, habit } = await withWater();
    await ana.query(`mutation { completeTask(taskId: "${habit}") { task { id } } }`);
    const { isRepeated, completion } = await agent.does('complete', { habit });
    expect(isRepeated).toBe(true);
    await agent.does('undo', { completionId: completion.id });
    for (const round of [1, 2]) {
      const again = await agent.does('complete', { habit });
      expect(again.isRepeated, `${round}`).toBe(false);
      await agent.does('undo', { habit });
    }
    expect(await countOf(ana, habit)).toBe(0);
  });

  it('with a key counts once by it, however long ago, and each key counts', async () => {
    const { agent, ana, clock, habit } = await withWater();
    const call = (key: string, amount = 1) => agent.does('complete', { habit, amount, key });
    expect([(await call('a')).isRepeated, (await call('b')).isRepeated]).toEqual([false, false]);
    clock.advance({ hours: 2 });
    expect(await call('a')).toMatchObject({ isRepeated: true });
    expect(await countOf(ana, habit)).toBe(2);
    const refused = await agent.isRefused('complete', { habit, amount: 5, key: 'a' });
    expect(refused).toMatchObject({ reason: 'KEY_REUSED', fields: [{ name: 'key' }] });
  });
});

it('Without a key, calls at once on two processes count once, for each day and again after two minutes', async () => {
  const database = await ownDatabase();
  const here = await world({ database, config: configOf() });
  const there = await world({ database, config: configOf(), clock: here.clock });
  const ana = await here.newUser();
  const habit = await habitOf(ana);
  const token = await tokenOf(ana);
  const agents = [await agentWith(here.base, token), await agentWith(there.base, token)];
  const counters = sql`select from user_progress where user_id = ${ana.id} for no key update`;
  for (const [day, seconds] of [
    ['today', 0],
    ['yesterday', 0],
    ['today', 120],
  ] as const) {
    here.clock.advance({ seconds });
    const release = await holding(database, counters);
    const calls = [...agents, ...agents].map((agent) => agent.does('complete', { habit, day }));
    // All of them have looked back before one of them is recorded.
    await eventually(async () => (await lockWaits(database.query())) === calls.length);
    await release();
    const repeated = (await Promise.all(calls)).map(({ isRepeated }) => isRepeated);
    expect(repeated.sort()).toEqual([false, true, true, true]);
  }
  expect(await countOf(ana, habit)).toBe(3);
});
