import { randomUUID } from 'node:crypto';
import { parse, validate } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, type SteadyEvent } from '../../packages/client/src/client.js';
import * as documents from '../../packages/client/src/documents.js';
import { declaredSchema } from '../../src/app.js';
import { eventually } from '../support/eventually.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { world } from '../support/world.js';

const DO = 'mutation ($input: [CompletionInput!]!) { completeTasks(input: $input) { user { id } } }';

async function reader({ isOn = true } = {}) {
  const { base, newUser } = await world();
  const ana = await newUser();
  const task = await ana.hasTask();
  if (isOn) await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
  const way = await faultyWayTo(base);
  const steady = createClient({ url: way.base, token: ana.token });
  onTestFinished(() => steady.close());
  const does = async (times: number) => {
    for (let left = times; left > 0; left -= 100) {
      const input = Array.from({ length: Math.min(left, 100) }, () => ({
        ...{ taskId: task.id, idempotencyKey: randomUUID() },
      }));
      await ana.query(DO, { input });
    }
  };
  const watch = (options: Parameters<typeof steady.watch>[1] = {}) => {
    const seen: SteadyEvent[] = [];
    const failures: string[] = [];
    let connections = 0;
    const stop = steady.watch((event) => seen.push(event), {
      connected: () => {
        connections += 1;
      },
      failed: ({ reason }) => failures.push(reason),
      ...options,
    });
    onTestFinished(stop);
    return { seen, failures, stop, connections: () => connections };
  };
  return { ana, task, way, steady, does, watch };
}

const upTo = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const numbersOf = (events: readonly SteadyEvent[]) => events.map(({ number }) => number);

it.each(Object.entries(documents))('A document asks what the schema offers: %s', (_name, text) => {
  expect(validate(declaredSchema(), parse(text))).toEqual([]);
});

it('Events come oldest first, from where the reader stands, however many there are', async () => {
  const { does, steady, task } = await reader();
  await does(103);
  const seen: SteadyEvent[] = [];
  for await (const event of steady.events()) seen.push(event);
  expect(numbersOf(seen)).toEqual(upTo(1, 103));
  expect(seen[0]).toMatchObject({ kind: 'COMPLETION_RECORDED', taskId: String(task.id), day: null });
  for (const after of [seen[101]?.id ?? '', 102])
    expect((await steady.events({ after }).next()).value).toMatchObject({ number: 103 });
});

describe('Who watches', () => {
  it('hears what comes from now on, or from where they stand', async () => {
    const { does, watch } = await reader();
    await does(2);
    const now = watch();
    const whole = watch({ after: 0 });
    const from = watch({ after: 1 });
    await eventually(() => [now, whole, from].every(({ connections }) => connections() === 1));
    await does(2);
    await eventually(() => [now, whole, from].every(({ seen }) => seen.at(-1)?.number === 4));
    expect([now, from, whole].map(({ seen }) => numbersOf(seen))).toEqual([
      upTo(3, 4),
      upTo(2, 4),
      upTo(1, 4),
    ]);
    now.stop();
    await does(1);
    await eventually(() => whole.seen.length === 5);
    expect(now.seen).toHaveLength(2);
  });

  it('misses nothing and hears nothing twice, however often the connection is lost', async () => {
    const { does, watch, way } = await reader();
    const { connections, seen } = watch();
    await eventually(() => connections() === 1);
    for (let round = 1; round <= 3; round += 1) {
      const doing = [does(1), does(1), does(1)];
      way.break();
      await does(2);
      await Promise.all(doing);
      await eventually(() => connections() > round);
    }
    await eventually(() => seen.length >= 15);
    expect(numbersOf(seen)).toEqual(upTo(1, 15));
  });

  it('is told when it is over: the feed is off, or what they ask for is kept no longer', async () => {
    const { ana, steady, watch } = await reader({ isOn: false });
    const off = [watch(), watch({ after: 0 })];
    await eventually(() => off.every(({ failures }) => failures.join() === 'FEED_OFF'));
    await expect(steady.events().next()).rejects.toMatchObject({ reason: 'FEED_OFF' });
    await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
    const ahead = watch({ after: 7 });
    await eventually(() => ahead.failures.join() === 'FEED_TRUNCATED');
    await expect(steady.events({ after: 7 }).next()).rejects.toMatchObject({ reason: 'FEED_TRUNCATED' });
  });
});
