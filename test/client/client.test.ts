import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TASKS } from '../../examples/clients/documents.ts';
import { type ClientOptions, createClient } from '../../packages/client/src/client.js';
import { serviceClock } from '../../packages/client/src/clock.js';
import { SteadyError } from '../../packages/client/src/errors.js';
import { untilAnswered } from '../../packages/client/src/retry.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { world } from '../support/world.js';

async function connected(options: Partial<ClientOptions> = {}) {
  const { base, clock, newUser } = await world();
  const ana = await newUser();
  const way = await faultyWayTo(base);
  const steady = createClient({ url: `${way.base}/`, token: ana.token, now: () => clock.now(), ...options });
  onTestFinished(() => steady.close());
  const make = async (title: string, input: object = {}): Promise<string> => {
    const made = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
    return (await ana.query(made, { input: { title, ...input } })).createTask.task.id;
  };
  return { ana, base, clock, way, steady, make };
}

it('Somebody is logged in by a password, or by signing up, until signing out', async () => {
  const { ana, steady } = await connected({ token: null });
  const { email, password } = ana.account;
  await expect(steady.logIn({ email, password: 'wrong one' })).rejects.toMatchObject({
    ...{ name: 'SteadyError', reason: 'INVALID_CREDENTIALS', code: 'UNAUTHENTICATED' },
  });
  const { user, token } = await steady.logIn({ email, password });
  expect([user.id, steady.token]).toEqual([ana.id, token]);
  expect(await steady.request('{ me { id } }')).toEqual({ me: { id: ana.id } });
  await steady.signOut();
  expect(steady.token).toBeNull();
  steady.token = token;
  await expect(steady.request('{ me { id } }')).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
  const input = { name: 'Bob', email: `bob-${email}`, password };
  expect(await steady.signUp(input)).toMatchObject({ user: { name: 'Bob' } });
  expect(steady.token).not.toBe(token);
});

describe('A request', () => {
  it('takes a text with variables, or a document of a code generator, and tells what is refused, with the fields at fault', async () => {
    const { steady, make } = await connected();
    const id = await make('Swim');
    const text = 'query ($id: ID!) { task(id: $id) { title } }';
    expect(await steady.request(text, { id })).toEqual({ task: { title: 'Swim' } });
    const { tasks } = await steady.request(TASKS);
    expect(tasks.nodes[0]?.title).toBe('Swim');
    const refused = steady.request('mutation { createTask(input: { title: "" }) { task { id } } }');
    await expect(refused).rejects.toMatchObject({
      ...{ reason: 'INVALID_INPUT', outcome: null, retryAfter: null },
      fields: [{ name: 'title', message: expect.any(String) }],
    });
  });

  it('says that nobody knows what became of it where no answer arrives', async () => {
    const { steady, way } = await connected();
    for (const fault of ['lost', 'unanswered', 'away'] as const) {
      way.faults = () => fault;
      const unknown = { reason: 'NO_ANSWER', outcome: 'UNKNOWN' };
      await expect(steady.request('{ me { id } }')).rejects.toMatchObject(unknown);
    }
  });

  it('is tried again when the service says, but not what is refused, nor what would take minutes', async () => {
    const refusalFor = (retryAfter: number) => new SteadyError('Later', { reason: 'OVERLOADED', retryAfter });
    const ask = vi.fn().mockRejectedValueOnce(refusalFor(7)).mockResolvedValue('an answer');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answer = untilAnswered(ask);
    await vi.advanceTimersByTimeAsync(6_900);
    expect(ask).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('an answer');
    for (const refusal of [refusalFor(800), new SteadyError('No', { reason: 'NOT_FOUND' })]) {
      const refused = vi.fn().mockRejectedValue(refusal);
      await expect(untilAnswered(refused)).rejects.toBe(refusal);
      expect(refused).toHaveBeenCalledOnce();
    }
  });
});

async function all<Row>(list: AsyncIterable<Row>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

it('Lists of tasks and completions are those of a filter', async () => {
  const { ana, steady, make } = await connected();
  await make('Read');
  const id = await make('Swim', { section: 'Seven' });
  await ana.completes({ id: Number(id) });
  const tasks = await all(steady.tasks({ section: 'Seven' }));
  expect(tasks).toMatchObject([{ id, title: 'Swim', step: null }]);
  expect(await all(steady.completions({ taskId: id }))).toMatchObject([{ task: { id } }]);
});

describe('Today', () => {
  const byTitle = async ({ steady }: Pick<Awaited<ReturnType<typeof connected>>, 'steady'>) => {
    const { habits, ...day } = await steady.today();
    return { day, ...Object.fromEntries(habits.map((habit) => [habit.title, habit])) };
  };

  it('tells how each habit stands, with what waits, and the same once it was sent', async () => {
    const { steady, make, way } = await connected();
    const target = { amount: 8, unit: 'glasses' };
    const swim = await make('Swim');
    const water = await make('Water', { target });
    const run = await make('Run', { target: { amount: 20, unit: 'km', per: 'WEEK' } });
    const coffee = await make('Coffee', { target: { amount: 1, unit: 'cups', kind: 'AT_MOST' } });
    await make('Read', { target: { amount: 50, unit: 'pages' }, step: 10 });
    await steady.complete(water, { amount: 3 });
    expect(await byTitle({ steady })).toMatchObject({
      day: { date: '2026-11-21', endsAt: '2026-11-22T00:00:00.000Z', isStale: false, staleReason: null },
      Swim: { id: swim, state: 'OPEN', isOpen: true, amount: null, target: null, streak: 0, waiting: 0 },
      Water: { state: 'PARTIAL', amount: 3, target: 8, unit: 'glasses', step: null, isOpen: true },
      Read: { step: 10 },
    });
    way.faults = (body) => (body.includes('completeTasks') ? 'lost' : undefined);
    await steady.complete(swim);
    await steady.complete(water, { amount: 5 });
    await steady.complete(run, { amount: 2.5 });
    for (const _ of 'ab') await steady.complete(coffee);
    const waiting = await byTitle({ steady });
    expect(waiting).toMatchObject({
      Swim: { state: 'KEPT', isOpen: false, streak: 1, count: 1, waiting: 1 },
      Water: { state: 'KEPT', amount: 8, streak: 1, waiting: 1 },
      Run: { amount: 2.5, per: 'WEEK', waiting: 1 },
      Coffee: { state: 'EXCEEDED', amount: 2, isLimit: true, waiting: 2 },
      Read: { state: 'OPEN', waiting: 0 },
    });
    way.mend();
    const sent = await byTitle({ steady });
    expect(sent).toMatchObject({ Run: { amount: 2.5, per: 'WEEK', waiting: 0 } });
    for (const title of ['Swim', 'Water', 'Coffee', 'Read'] as const)
      expect(sent).toMatchObject({ [title]: { ...(waiting as Record<string, object>)[title], waiting: 0 } });
  });

  it('does without what is to be taken back', async () => {
    const { steady, make, way } = await connected();
    const swim = await make('Swim');
    const tap = await steady.complete(swim);
    await steady.today();
    way.cut();
    await steady.undo(tap);
    const Swim = { state: 'OPEN', count: 0 };
    const day = { isStale: true, staleReason: 'NO_ANSWER' };
    expect(await byTitle({ steady })).toMatchObject({ day, Swim });
    way.mend();
    expect(await byTitle({ steady })).toMatchObject({ day: { isStale: false }, Swim });
  });

  it('is as it was known without a network, and no day longer', async () => {
    const { steady, clock, make, way } = await connected();
    const swim = await make('Swim');
    way.cut();
    await expect(steady.today()).rejects.toMatchObject({ reason: 'NO_ANSWER' });
    way.mend();
    await steady.today();
    way.cut();
    await steady.complete(swim);
    expect(await byTitle({ steady })).toMatchObject({ day: { isStale: true }, Swim: { state: 'KEPT' } });
    clock.advance({ hours: 12 });
    await expect(steady.today()).rejects.toMatchObject({ reason: 'NO_ANSWER' });
    expect(await steady.lastKnown()).toMatchObject({ date: '2026-11-21', habits: [{ title: 'Swim' }] });
  });

  it('counts what was done on the day that it is for the person', async () => {
    const { ana, steady, clock, make, way } = await connected();
    await ana.query(
      'mutation { updateProfile(input: { timeZone: "Pacific/Auckland", dayStartsAt: 3 }) { user { id } } }',
    );
    const [swim, run] = [await make('Swim'), await make('Run')];
    clock.set('2026-11-21T13:30:00Z'); // half past two in the night
    way.faults = (body) => (body.includes('completeTasks') ? 'lost' : undefined);
    await steady.complete(swim);
    await steady.complete(run, { at: '2026-11-20T13:59:59.999Z' });
    expect(await byTitle({ steady })).toMatchObject({
      day: { date: '2026-11-21' },
      ...{ Swim: { state: 'KEPT' }, Run: { state: 'OPEN' } },
    });
    clock.set('2026-11-21T14:00:00Z');
    expect(await byTitle({ steady })).toMatchObject({ day: { date: '2026-11-22' }, Swim: { state: 'OPEN' } });
  });
});

it('The clock of a device was fast where something is of the future: that counts as done now, by the service', () => {
  const clock = serviceClock(() => 1_000_000);
  clock.compare(1_000_000, 1_060_000, 1_000_500);
  const moments = [900_000, 1_000_000, 2_000_000].map((at) => clock.momentOf(at));
  expect(moments).toEqual([959_500, 1_059_500, 1_059_500]);
});
