import { describe, expect, it } from 'vitest';
import { agentWith, habitOf, withAgent } from './agent.js';

const HABIT = `id title section tags points schedule { kind everyDay weekdays everyDays timesPer { count period } }
  target { amount unit kind per }`;
const STREAK = 'streak { unit count longest doneToday atRisk aliveUntil }';
const TODAY = `today { date state isDue isOpen isKept completionCount amount periodAmount remaining lastCompletion { id } } nextDueOn`;

interface Titled {
  habits: { title: string }[];
}

interface Listed {
  tags: string[] | null;
  today: { lastCompletion: { id: string } | null };
  nextDueOn: string | null;
}

/** One of each kind, and what was done of them. */
async function withHabits() {
  const { ana, ...here } = await withAgent();
  const ids = {
    swim: await habitOf(ana, { title: 'Swim 1 km', section: 'Sport', tags: ['water'] }),
    water: await habitOf(ana, { title: 'Water', target: { amount: 8, unit: 'glasses' } }),
    run: await habitOf(ana, { title: 'Run', schedule: { timesPer: { count: 3, period: 'WEEK' } } }),
    read: await habitOf(ana, { title: 'Read', target: { amount: 90, unit: 'min', per: 'WEEK' } }),
    cigarettes: await habitOf(ana, {
      title: 'Cigarettes',
      target: { amount: 2, unit: 'pieces', kind: 'AT_MOST' },
    }),
    piano: await habitOf(ana, { title: 'Piano', schedule: { weekdays: ['MONDAY', 'FRIDAY'] } }),
    old: await habitOf(ana, { title: 'Old' }),
  };
  const done = (id: string, more = '') =>
    ana.query(`mutation { completeTask(taskId: "${id}" ${more}) { completion { id } } }`);
  await done(ids.swim);
  await done(ids.swim, 'at: "2026-11-20T09:00:00Z", note: "cold"');
  await done(ids.swim, 'at: "2026-11-18T09:00:00Z"');
  await done(ids.water, 'amount: 3');
  await done(ids.read, 'amount: 45.5');
  await done(ids.cigarettes, 'amount: 3');
  await done(ids.run);
  await ana.query(`mutation { skipDay(taskId: "${ids.piano}", date: "2026-11-20") { date } }`);
  await ana.query(`mutation { archiveTask(id: "${ids.old}") { task { id } } }`);
  return { ...here, ana, ...ids };
}

describe('An agent', () => {
  it('has eight tools, whose answers have schemas and whose arguments are explained, also by the older protocol', async () => {
    const { base, token } = await withHabits();
    const { tools, client, does } = await agentWith(base, token, true);
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
    expect(await does('complete', { habit: 'piano' })).toMatchObject({ isRepeated: false });
  });

  it('today is what GraphQL says of it', async () => {
    const { ana, agent } = await withHabits();
    const { me, tasks } = await ana.query(
      `{ me { today todayEndsAt timeZone points ${STREAK} } tasks { nodes { ${HABIT} ${TODAY} ${STREAK} } } }`,
    );
    const { date, endsAt, timeZone, points, streak, habits } = await agent.does('today');
    expect({ today: date, todayEndsAt: endsAt, timeZone, points, streak }).toEqual(me);
    expect(habits).toEqual(
      tasks.nodes.map(({ today: { lastCompletion, ...today }, nextDueOn, ...task }: Listed) => ({
        ...task,
        tags: task.tags ?? [],
        isArchived: false,
        today: { ...today, nextDueOn, lastCompletionId: lastCompletion?.id ?? null },
      })),
    );
  });

  it('today can be filtered as in GraphQL, and goes on where a page ended', async () => {
    const { ana, agent } = await withHabits();
    const titles = ({ habits }: Titled) => habits.map(({ title }) => title);
    for (const show of ['OPEN', 'KEPT']) {
      const { tasks } = await ana.query(`{ tasks(today: ${show}) { nodes { title } } }`);
      expect(titles(await agent.does('today', { show })), show).toEqual(titles({ habits: tasks.nodes }));
    }
    for (const given of [{ section: 'sport' }, { tag: 'WATER' }])
      expect(titles(await agent.does('today', given))).toEqual(['Swim 1 km']);
    const whole = titles(await agent.does('today'));
    const first = await agent.does('today', { first: 4 });
    const { hasMore, after, ...second } = await agent.does('today', { first: 4, after: first.after });
    expect([...titles(first), ...titles(second as Titled)]).toEqual(whole);
    expect([first.hasMore, hasMore, after]).toEqual([true, false, null]);
    expect(await agent.isRefused('today', { after: 999_999_999 })).toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('history is what GraphQL says, of all or of one, page by page', async () => {
    const { ana, agent, swim } = await withHabits();
    const FIELDS = 'id day completedAt recordedAt amount note points task { id title }';
    const of = async (given: string) => {
      const { completions } = await ana.query(`{ completions${given} { nodes { ${FIELDS} } } }`);
      return completions.nodes.map(({ task, ...completion }: Record<string, object>) => ({
        ...completion,
        habit: { ...task, isArchived: false },
      }));
    };
    expect((await agent.does('history')).completions).toEqual(await of(''));
    const ofSwim = await of(`(taskId: "${swim}", from: "2026-11-19")`);
    expect(ofSwim).toHaveLength(2);
    const asked = { habit: 'swim', from: '2026-11-19' };
    expect((await agent.does('history', asked)).completions).toEqual(ofSwim);
    const first = await agent.does('history', { ...asked, first: 1 });
    expect(first).toMatchObject({ completions: [ofSwim[0]], hasMore: true, after: ofSwim[0].id });
    const second = await agent.does('history', { ...asked, first: 1, after: first.after });
    expect(second).toEqual({ completions: [ofSwim[1]], hasMore: false, after: null });
    const wrong = { from: '2026-11-21', to: '2026-11-20' };
    expect(await agent.isRefused('history', wrong)).toMatchObject({ reason: 'INVALID_INPUT' });
  });

  it('statistics are those of GraphQL', async () => {
    const { ana, agent, swim } = await withHabits();
    const FIELDS = `dueDays keptDays missedDays neutralDays completionCount points amount rate
      byWeekday { weekday dueCount keptCount completionCount amount }`;
    const PERIODS = 'by(period: WEEK) { from to dueCount keptCount completionCount amount }';
    const { tasks } = await ana.query(
      `{ tasks { nodes { id statistics(from: "2026-11-01") { ${FIELDS} ${PERIODS} } } } }`,
    );
    const all = await agent.does('statistics', { from: '2026-11-01' });
    expect([all.from, all.to, all.habits.length]).toEqual(['2026-11-01', '2026-11-21', 6]);
    for (const [at, { id, statistics }] of tasks.nodes.entries()) {
      const { by, ...rest } = statistics;
      expect(all.habits[at], id).toMatchObject({ ...rest, id, periods: null });
      const one = await agent.does('statistics', { habit: Number(id), last: 21, by: 'WEEK' });
      expect(one.habits).toEqual([{ ...all.habits[at], periods: by }]);
    }
    expect(await agent.does('statistics', { habit: swim })).toMatchObject({ from: '2026-10-23' });
    const wrong = [{ last: 5, from: '2026-11-01' }, { by: 'WEEK' }, { last: 100_000 }, { to: '2026-11-01' }];
    for (const asked of wrong)
      expect(await agent.isRefused('statistics', asked)).toMatchObject({ reason: 'INVALID_INPUT' });
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
    expect((await agent.does('explain_streak', { habit: cigarettes })).because).toContain(
      'The limit was exceeded on 2026-11-21.',
    );
    expect((await agent.does('explain_streak', { habit: piano })).because).toContain(
      'Something is due next on 2026-11-23.',
    );
    const own = await agent.does('explain_streak');
    expect(own).toMatchObject({ habit: null, streak: (await ana.query(`{ me { ${STREAK} } }`)).me.streak });
    clock.set('2026-11-22T09:00:00Z');
    expect((await agent.does('explain_streak', { habit: swim })).because).toContain(
      'It ends at 2026-11-23T00:00:00.000Z unless the goal of today is reached.',
    );
    clock.set('2026-11-24T09:00:00Z');
    expect((await agent.does('explain_streak', { habit: swim })).because.slice(0, 2)).toEqual([
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
