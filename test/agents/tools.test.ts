import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';
import { agentWith, habitOf, tokenOf, withAgent } from './agent.js';

const HABIT = `id title section tags points schedule { kind everyDay weekdays everyDays timesPer { count period } }
  target { amount unit kind per }`;
const STREAK = 'streak { unit count longest doneToday atRisk aliveUntil }';
const TODAY = `today { date state isDue isOpen isKept completionCount amount periodAmount remaining lastCompletion { id } } nextDueOn`;

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Told = Record<string, any>;

/** One of each kind, and what was done of them. */
async function withHabits() {
  const { ana, ...here } = await withAgent();
  const atMost = { unit: 'pieces', kind: 'AT_MOST' };
  const ids = {
    swim: await habitOf(ana, { title: 'Swim 1 km', section: 'Sport', tags: ['water'] }),
    water: await habitOf(ana, { title: 'Water', target: { amount: 8, unit: 'glasses' } }),
    run: await habitOf(ana, { title: 'Run', schedule: { timesPer: { count: 3, period: 'WEEK' } } }),
    read: await habitOf(ana, { title: 'Read', target: { amount: 90, unit: 'min', per: 'WEEK' } }),
    cigarettes: await habitOf(ana, { title: 'Cigarettes', target: { ...atMost, amount: 2 } }),
    piano: await habitOf(ana, { title: 'Piano', schedule: { weekdays: ['MONDAY', 'FRIDAY'] } }),
    old: await habitOf(ana, { title: 'Old' }),
  };
  await ana.query(`mutation {
    completeTask(taskId: "${ids.swim}") { isReplayed }
    before: completeTask(taskId: "${ids.swim}", at: "2026-11-20T09:00:00Z", note: "cold") { isReplayed }
    earlier: completeTask(taskId: "${ids.swim}", at: "2026-11-18T09:00:00Z") { isReplayed }
    water: completeTask(taskId: "${ids.water}", amount: 3) { isReplayed }
    read: completeTask(taskId: "${ids.read}", amount: 45.5) { isReplayed }
    smoked: completeTask(taskId: "${ids.cigarettes}", amount: 3) { isReplayed }
    run: completeTask(taskId: "${ids.run}") { isReplayed }
    skipDay(taskId: "${ids.piano}", date: "2026-11-20") { date }
    archiveTask(id: "${ids.old}") { task { id } }
  }`);
  return { ...here, ana, ...ids };
}

describe('An agent', () => {
  it('has eight tools, whose answers have schemas and whose arguments are explained, also by the older protocol', async () => {
    const { ana, base } = await worldOf('ana');
    await habitOf(ana);
    const { tools, client, does } = await agentWith(base, await tokenOf(ana), true);
    expect(client.getServerVersion()).toMatchObject({ name: 'steady' });
    expect(client.getInstructions()).toContain('never instructions');
    expect(tools).toHaveLength(8);
    for (const { name, description, inputSchema, outputSchema } of tools) {
      expect([name, description], name).toEqual([name, expect.any(String)]);
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object' });
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        expect((schema as { description?: string }).description, `${name}(${argument})`).toMatch(/\w/);
    }
    expect(await does('complete', { habit: 'swim' })).toMatchObject({ isRepeated: false });
  });

  it('today is what GraphQL says of it, filtered and page by page', async () => {
    const { ana, agent } = await withHabits();
    const { me, tasks, open } = await ana.query(
      `{ me { today todayEndsAt timeZone points ${STREAK} } tasks { nodes { ${HABIT} ${TODAY} ${STREAK} } }
        open: tasks(today: OPEN) { nodes { title } } }`,
    );
    const { date, endsAt, timeZone, points, streak, habits } = await agent.does('today');
    expect({ today: date, todayEndsAt: endsAt, timeZone, points, streak }).toEqual(me);
    expect(habits).toEqual(
      tasks.nodes.map(({ today: { lastCompletion, ...today }, nextDueOn, ...task }: Told) => ({
        ...task,
        tags: task.tags ?? [],
        isArchived: false,
        today: { ...today, nextDueOn, lastCompletionId: lastCompletion?.id ?? null },
      })),
    );
    const titles = (list: Told[]) => list.map(({ title }) => title);
    const shown = (await agent.does('today', { show: 'OPEN' })).habits;
    expect(titles(shown)).toEqual(titles(open.nodes));
    for (const given of [{ section: 'sport' }, { tag: 'WATER' }])
      expect(titles((await agent.does('today', given)).habits)).toEqual(['Swim 1 km']);
    const first = await agent.does('today', { first: 4 });
    const second = await agent.does('today', { first: 4, after: first.after });
    expect([...first.habits, ...second.habits]).toEqual(habits);
    expect([first.hasMore, second.hasMore, second.after]).toEqual([true, false, null]);
    expect(await agent.isRefused('today', { after: 999_999_999 })).toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('history and statistics are those of GraphQL, of all or of one', async () => {
    const { ana, agent, swim } = await withHabits();
    const FIELDS = 'id day completedAt recordedAt amount note points task { id title }';
    const SUMS = `dueDays keptDays missedDays neutralDays completionCount points amount rate
      byWeekday { weekday dueCount keptCount completionCount amount }`;
    const PERIODS = 'by(period: WEEK) { from to dueCount keptCount completionCount amount }';
    const { completions, tasks } = await ana.query(
      `{ completions { nodes { ${FIELDS} } } tasks { nodes { id statistics(from: "2026-11-01") { ${SUMS} ${PERIODS} } } } }`,
    );
    const told = completions.nodes.map(({ task, ...completion }: Told) => ({
      ...completion,
      habit: { ...task, isArchived: false },
    }));
    expect((await agent.does('history')).completions).toEqual(told);
    const asked = { habit: 'swim', from: '2026-11-19' };
    const [last, before] = told.filter(({ habit }: Told) => habit.id === swim);
    const first = await agent.does('history', { ...asked, first: 1 });
    expect(first).toEqual({ completions: [last], hasMore: true, after: last.id });
    const second = await agent.does('history', { ...asked, first: 1, after: first.after });
    expect(second).toEqual({ completions: [before], hasMore: false, after: null });

    const all = await agent.does('statistics', { from: '2026-11-01' });
    expect([all.from, all.to, all.habits.length]).toEqual(['2026-11-01', '2026-11-21', 6]);
    for (const [at, { id, statistics }] of tasks.nodes.entries()) {
      const { by, ...rest } = statistics;
      expect(all.habits[at], id).toMatchObject({ ...rest, id, periods: null });
      const one = await agent.does('statistics', { habit: Number(id), last: 21, by: 'WEEK' });
      expect(one.habits).toEqual([{ ...all.habits[at], periods: by }]);
    }
    expect(await agent.does('statistics', { habit: swim })).toMatchObject({ from: '2026-10-23' });
    for (const [tool, given] of [
      ['history', { from: '2026-11-21', to: '2026-11-20' }],
      ['statistics', { last: 5, from: '2026-11-01' }],
      ['statistics', { by: 'WEEK' }],
      ['statistics', { last: 100_000 }],
      ['statistics', { to: '2026-11-01' }],
    ] as const)
      expect(await agent.isRefused(tool, given), tool).toMatchObject({ reason: 'INVALID_INPUT' });
  });

  it('a streak is explained by its days', async () => {
    const { ana, agent, clock, swim, cigarettes, piano } = await withHabits();
    const { task } = await ana.query(
      `{ task(id: "${swim}") { ${STREAK} calendar(last: 30) { date state isDue completionCount amount streakEffect } } }`,
    );
    const told = await agent.does('explain_streak', { habit: swim });
    expect(told).toMatchObject({
      streak: task.streak,
      days: task.calendar,
      beganOn: '2026-11-20',
      brokenOn: '2026-11-19',
      because: [
        'The streak is 2 days, and began on 2026-11-20.',
        'An earlier one ended on 2026-11-19.',
        'The goal of today is reached.',
        'The longest streak ever is 2 days.',
      ],
    });
    const reasons = async (habit: string) => (await agent.does('explain_streak', { habit })).because;
    expect(await reasons(cigarettes)).toContain('The limit was exceeded on 2026-11-21.');
    expect(await reasons(piano)).toContain('Something is due next on 2026-11-23.');
    const own = await agent.does('explain_streak');
    expect(own).toMatchObject({ habit: null, streak: (await ana.query(`{ me { ${STREAK} } }`)).me.streak });
    clock.set('2026-11-22T09:00:00Z');
    expect(await reasons(swim)).toContain(
      'It ends at 2026-11-23T00:00:00.000Z unless the goal of today is reached.',
    );
    clock.set('2026-11-24T09:00:00Z');
    expect((await reasons(swim)).slice(0, 2)).toEqual([
      'There is no streak now.',
      'The last one ended on 2026-11-22, when what was due was not done.',
    ]);
  });

  it('a habit is made by all that its input takes, once by its key, and found by its title', async () => {
    const { ana, agent } = await withAgent();
    const input = {
      title: 'Stretch',
      schedule: { timesPer: { count: 3, period: 'WEEK' } },
      ...{ section: 'Body', tags: ['morning'], icon: '🧘', colour: 'TEAL', points: 5 },
      reminders: [{ at: '07:30' }],
      key: 'k1',
    };
    const { habit, isRepeated } = await agent.does('create_habit', input);
    expect(isRepeated).toBe(false);
    expect(await agent.does('create_habit', input)).toMatchObject({ habit, isRepeated: true });
    const refused = await agent.isRefused('create_habit', { ...input, title: 'Other' });
    expect(refused).toMatchObject({ reason: 'KEY_REUSED', fields: [{ name: 'key' }] });
    const { tasks } = await ana.query(
      '{ tasks { nodes { id title section tags icon colour reminders { at } } } }',
    );
    const { key: _, schedule: __, points: ___, ...made } = input;
    expect(tasks.nodes).toMatchObject([{ ...made, id: habit.id }]);
    expect(await agent.does('complete', { habit: '  STRETCH ' })).toMatchObject({ habit });
  });

  it('a day is skipped, and the skip taken back', async () => {
    const { ana, agent } = await withAgent();
    const habit = await habitOf(ana);
    const stateOf = async () =>
      (await ana.query(`{ task(id: "${habit}") { calendar(last: 1) { state notes } } }`)).task.calendar[0];
    expect(await agent.does('skip', { habit, note: 'ill' })).toMatchObject({
      ...{ day: '2026-11-21', isSkipped: true },
      today: { state: 'SKIPPED', isOpen: false },
    });
    expect(await stateOf()).toEqual({ state: 'SKIPPED', notes: ['ill'] });
    const back = await agent.does('skip', { habit, takeBack: true });
    expect(back).toMatchObject({ isSkipped: false, today: { state: 'OPEN' } });
    const refused = await agent.isRefused('skip', { habit, day: '2030-01-01' });
    expect(refused).toMatchObject({ reason: 'IN_FUTURE', fields: [{ name: 'day' }] });
  });
});
