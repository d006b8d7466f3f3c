import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { CompletionTables } from '../../src/features/history/completions/completion-list.queries.js';
import { configOf } from '../support/database.js';
import { queriesOf } from '../support/statements.js';
import { person, STREAK, TODAY } from './person.js';

describe('The gym on Mondays, Wednesdays and Fridays', () => {
  const GYM = 'title: "Gym", schedule: { weekdays: [FRIDAY, MONDAY, WEDNESDAY] }';

  it('does not ask for a Tuesday, and misses only a due day', async () => {
    const { makes, at, does, read, states } = await person();
    const gym = await makes(GYM);
    await does(gym, [2, 4]);
    at(5);
    expect(
      await read(gym, `schedule { everyDay weekdays everyDays timesPer { count } } ${STREAK} ${TODAY}`),
    ).toEqual({
      schedule: {
        ...{ everyDay: null, weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
        ...{ everyDays: null, timesPer: null },
      },
      streak: {
        unit: 'DAYS',
        count: 2,
        longest: 2,
        doneToday: false,
        atRisk: false,
        aliveUntil: '2026-11-07T00:00:00.000Z',
      },
      today: { state: 'REST', isDue: false, completionCount: 0, amount: null, remaining: null },
    });
    at(6);
    expect((await read(gym, `${STREAK} ${TODAY}`)).streak).toMatchObject({ count: 2, atRisk: true });
    at(7);
    expect((await read(gym, STREAK)).streak).toMatchObject({ count: 0, longest: 2, aliveUntil: null });
    expect(await states(gym, 1, 8)).toEqual([
      { state: 'REST', streakEffect: 'NONE' },
      { state: 'KEPT', streakEffect: 'STARTED' },
      { state: 'REST', streakEffect: 'NONE' },
      { state: 'KEPT', streakEffect: 'CONTINUED' },
      { state: 'REST', streakEffect: 'NONE' },
      { state: 'MISSED', streakEffect: 'BROKEN' },
      { state: 'REST', streakEffect: 'NONE' },
      { state: 'FUTURE', streakEffect: 'NONE' },
    ]);
  });
});

describe('Eight glasses of water', () => {
  it('are a kept day once they add up, by amounts or by one tap without', async () => {
    const { ana, makes, at, does, read } = await person();
    const water = await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
    await does(water, [2, 2, 2], ', amount: 1.1');
    expect(await read(water, `target { amount unit } ${TODAY} ${STREAK}`)).toMatchObject({
      target: { amount: 8, unit: 'glasses' },
      today: { state: 'PARTIAL', amount: 3.3, remaining: 4.7, completionCount: 3, isDue: true },
      streak: { count: 0, doneToday: false },
    });
    await does(water, [2], ', amount: 4.7, note: "from a bottle"');
    expect(await read(water, `${TODAY} ${STREAK}`)).toMatchObject({
      today: { state: 'KEPT', amount: 8, remaining: 0 },
      streak: { count: 1, doneToday: true },
    });
    await does(water, [3]);
    expect((await read(water, TODAY)).today).toMatchObject({ state: 'KEPT', amount: 8 });
    const { completions } = await ana.query('{ completions(first: 2) { nodes { id amount note } } }');
    expect(completions.nodes).toMatchObject([
      { amount: null, note: null },
      { amount: 4.7, note: 'from a bottle' },
    ]);
    at(3, 10);
    await ana.query(`mutation { undoCompletion(id: ${completions.nodes[1].id}) { completionId } }`);
    expect((await read(water, STREAK)).streak).toMatchObject({ count: 1, longest: 1 });
    expect(
      await read(water, 'calendar(from: "2026-11-02", to: "2026-11-03") { state amount notes }'),
    ).toEqual({
      calendar: [
        { state: 'PARTIAL', amount: 3.3, notes: [] },
        { state: 'KEPT', amount: 8, notes: [] },
      ],
    });
  });
});

describe('A change of the plan', () => {
  it('reads the whole history anew, and loses nothing of it', async () => {
    const { ana, makes, does, read } = await person();
    const swim = await makes('title: "Swim"');
    await does(swim, [2, 4, 6]);
    const changes = async (schedule: string) => {
      const { updateTask } = await ana.query(
        `mutation { updateTask(id: ${swim}, input: { schedule: ${schedule} }) { task { ${STREAK} } } }`,
      );
      return updateTask.task.streak;
    };
    expect((await read(swim, STREAK)).streak).toMatchObject({ count: 1, longest: 1 });
    expect(await changes('{ weekdays: [MONDAY, WEDNESDAY, FRIDAY] }')).toMatchObject({
      count: 3,
      longest: 3,
    });
    expect(await changes('{ everyDays: 2 }')).toMatchObject({ unit: 'TIMES', count: 3 });
    expect(await changes('{ timesPer: { count: 3, period: WEEK } }')).toMatchObject({
      unit: 'WEEKS',
      count: 1,
      longest: 1,
    });
    expect(await changes('{ everyDay: true }')).toMatchObject({ unit: 'DAYS', count: 1, longest: 1 });
  });
});

describe('A step', () => {
  it('is what a tap adds: more than 0 with three decimals, and nothing that completions count by', async () => {
    const { ana, makes, does, read } = await person();
    const book = await makes('title: "Read", target: { amount: 50, unit: "pages" }, step: 0.125');
    await does(book, [2]);
    expect(await read(book, 'step today { isKept amount }')).toEqual({
      step: 0.125,
      today: { isKept: true, amount: 50 },
    });
    for (const step of [0, -1, 0.0001, 1_000_000_001])
      await expect(
        ana.query(`mutation { updateTask(id: ${book}, input: { step: ${step} }) { task { id } } }`),
      ).rejects.toThrow(/^Step must/);
  });
});

describe('The list', () => {
  it('is of what asks for something today, or of what does not, and of a tag', async () => {
    const { ana, makes, does } = await person();
    const floss = await makes('title: "Floss", tags: ["Home ", "Äpfel"]');
    await makes('title: "Gym", schedule: { weekdays: [TUESDAY] }, tags: ["sport"]');
    const water = await makes(
      'title: "Water", target: { amount: 8, unit: "glasses" }, colour: BLUE, icon: "💧"',
    );
    await does(water, [2], ', amount: 3');
    const titles = async (args: string) =>
      (await ana.query(`{ tasks(${args}) { totalCount nodes { title } } }`)).tasks.nodes.map(
        ({ title }: { title: string }) => title,
      );
    expect(await titles('today: OPEN')).toEqual(['Floss', 'Water']);
    expect(await titles('today: UNPLANNED')).toEqual(['Gym']);
    expect(await titles('tag: "äPFEL"')).toEqual(['Floss']);
    await does(floss, [2]);
    expect(await titles('today: OPEN, first: 1')).toEqual(['Water']);
    const { tasks } = await ana.query('{ tasks { nodes { colour icon tags } } }');
    expect(tasks.nodes).toEqual([
      { colour: null, icon: null, tags: ['Home', 'Äpfel'] },
      { colour: null, icon: null, tags: ['sport'] },
      { colour: 'BLUE', icon: '💧', tags: [] },
    ]);
  });
});

describe.each(['off', 'always'] as const)('The lists of today, fast path %s', (fastPath) => {
  it('are of what is open, kept, planned and unplanned', async () => {
    const { ana, makes, does } = await person({ ...configOf(), fastPath });
    const skipped = await makes('title: "skipped"');
    const named = ['open', 'begun', 'kept', 'extra', 'skipped and kept'];
    const [, begun, kept, extra, both] = await Promise.all([
      makes('title: "open"'),
      makes('title: "begun", target: { amount: 8, unit: "glasses" }'),
      makes('title: "kept"'),
      makes('title: "extra", schedule: { weekdays: [TUESDAY] }'),
      makes('title: "skipped and kept"'),
      makes('title: "rest", schedule: { weekdays: [TUESDAY] }'),
    ]);
    for (const id of [skipped, both])
      await ana.query(`mutation { skipDay(taskId: ${id}, date: "2026-11-02") { date } }`);
    await does(begun, [2], ', amount: 3');
    for (const id of [kept, extra, both]) await does(id, [2]);
    const list = (args: string) =>
      `tasks(${args}) { totalCount nodes { title today { isDue isOpen isKept filters } } }`;
    const query = `{ OPEN: ${list('today: OPEN')} KEPT: ${list('today: KEPT')} PLANNED: ${list('today: PLANNED')}
      UNPLANNED: ${list('today: UNPLANNED')} }`;
    const { data } = await ana.rest.ask(query);
    const titles = (name: string) =>
      data?.[name].nodes.map(({ title }: { title: string }) => title).sort() ?? [];
    expect(titles('OPEN')).toEqual(['begun', 'open']);
    expect(titles('KEPT')).toEqual(['extra', 'kept', 'skipped and kept']);
    expect(titles('PLANNED')).toEqual(['begun', 'kept', 'open', 'skipped and kept']);
    expect(titles('UNPLANNED')).toEqual(['extra', 'rest', 'skipped']);
    const asked = [...(data?.PLANNED.nodes ?? []), ...(data?.UNPLANNED.nodes ?? [])];
    for (const { title, today } of asked) {
      expect(today.filters).toEqual(
        ['OPEN', 'KEPT', 'PLANNED', 'UNPLANNED'].filter((each) => titles(each).includes(title)),
      );
      expect([today.isOpen, today.isKept]).toEqual(
        ['OPEN', 'KEPT'].map((each) => today.filters.includes(each)),
      );
    }
    const due = asked.filter(({ today }) => today.isDue).map(({ title }) => title);
    expect(due.sort()).toEqual(['skipped', ...named].filter((each) => each !== 'extra').sort());
  });

  it('go on page by page', async () => {
    const { ana, makes } = await person({ ...configOf(), fastPath });
    for (const title of ['a', 'b', 'c']) await makes(`title: "${title}"`);
    const page = async (after: string | null) =>
      (
        await ana.query(
          `{ tasks(today: OPEN, first: 2, after: ${JSON.stringify(after)}) { nodes { title } pageInfo { endCursor } } }`,
        )
      ).tasks;
    const first = await page(null);
    expect((await page(first.pageInfo.endCursor)).nodes).toEqual([{ title: 'c' }]);
  });
});

describe('Lists of what is due', () => {
  it('are found together, however many a request has', async () => {
    const here = await person();
    const { ana, makes } = here;
    await makes('title: "Gym", schedule: { everyDays: 2 }, tags: ["sport"]');
    const lists = ['today: OPEN', 'today: PLANNED', 'tag: "sport"', 'today: UNPLANNED, tag: "sport"'];
    const aliased = (of: string[]) =>
      `{ ${of.map((each, i) => `l${i}: tasks(${each}) { nodes { id } }`).join(' ')} }`;
    const looksThrough = async (of: string[]) => {
      const asked = await queriesOf(here, () => ana.query(aliased(of)));
      return asked.filter(({ sql }) => /"tags" from|counted\."completionCount"/.test(sql)).length;
    };
    expect(await looksThrough(lists)).toBe(await looksThrough(['today: KEPT']));
  });
});

describe('Statistics', () => {
  it('say what became of the due days, by weekday, week and month', async () => {
    const { ana, makes, at, does, read } = await person();
    const gym = await makes('title: "Gym", schedule: { weekdays: [MONDAY, WEDNESDAY, FRIDAY] }, points: 2');
    await does(gym, [2, 3, 6]);
    at(9);
    await ana.query(`mutation { skipDay(taskId: ${gym}, date: "2026-11-04") { date } }`);
    at(11);
    const { statistics } = await read(
      gym,
      `statistics(from: "2026-11-01", to: "2026-11-30") {
        dueDays keptDays missedDays neutralDays completionCount points amount rate
        byWeekday { weekday dueCount keptCount completionCount amount } by(period: WEEK) { from to dueCount keptCount completionCount amount }
      }`,
    );
    expect(statistics).toMatchObject({
      dueDays: 3,
      keptDays: 3,
      missedDays: 1,
      neutralDays: 1,
      completionCount: 3,
      points: 6,
      amount: 0,
    });
    expect(statistics.rate).toBeCloseTo(2 / 3);
    expect(statistics.byWeekday.slice(0, 2)).toEqual([
      { weekday: 'MONDAY', dueCount: 2, keptCount: 1, completionCount: 1, amount: 0 },
      { weekday: 'TUESDAY', dueCount: 0, keptCount: 1, completionCount: 1, amount: 0 },
    ]);
    expect(statistics.by).toHaveLength(6);
    expect(statistics.by[1]).toEqual({
      from: '2026-11-02',
      to: '2026-11-08',
      dueCount: 2,
      keptCount: 3,
      completionCount: 3,
      amount: 0,
    });
  });
});

describe('Statistics', () => {
  it('are told however much was noted', async () => {
    const { ana, makes, does, read, database } = await person();
    const swim = await makes('title: "Swim"');
    await does(swim, [2], 'note: "Cold"');
    await sql`
      insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at, note)
      select user_id, task_id, points, completed_at, day, recorded_at, repeat('€', 1000)
      from task_completions, generate_series(1, 4000) where user_id = ${ana.id}`.execute(
      database.query<CompletionTables>(),
    );
    const { statistics } = await read(
      swim,
      'statistics(from: "2026-11-01", to: "2026-11-30") { keptDays completionCount }',
    );
    expect(statistics).toEqual({ keptDays: 1, completionCount: 4_001 });
  });
});

describe('After travel westwards', () => {
  it.each(['title: "Swim"', 'title: "Swim", schedule: { everyDays: 2 }'])(
    'to the day before, %s asks for today in lists as on its own',
    async (input) => {
      const { ana, makes, does, read } = await person();
      const swim = await makes(input);
      await does(swim, [2]);
      await ana.query('mutation { updateProfile(input: { timeZone: "Pacific/Honolulu" }) { user { id } } }');
      expect((await read(swim, TODAY)).today).toMatchObject({ state: 'OPEN', isDue: true });
      const { open } = await ana.query('{ open: tasks(today: OPEN) { nodes { id } } }');
      expect(open.nodes).toEqual([{ id: swim }]);
    },
  );

  it('a habit is as old as it was: the day before it was made was not missed', async () => {
    const { ana, makes, at, does, read, states } = await person();
    const swim = await makes('title: "Swim"');
    const coffee = await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
    await does(swim, [2, 3]);
    at(5);
    const told = async () => [
      await states(swim, 1, 3),
      await states(coffee, 1, 3),
      (await ana.query('{ me { calendar(from: "2026-11-01", to: "2026-11-03") { dueCount keptCount } } }'))
        .me,
    ];
    const before = await told();
    expect(before[0]).toMatchObject([{ state: 'REST' }, { state: 'KEPT' }, { state: 'KEPT' }]);
    for (const zone of ['Pacific/Honolulu', 'Pacific/Kiritimati', 'Pacific/Honolulu']) {
      await ana.query(`mutation { updateProfile(input: { timeZone: "${zone}" }) { user { id } } }`);
      expect(await told()).toEqual(before);
    }
    expect((await read(coffee, 'streak { longest }')).streak).toEqual({ longest: 2 });
  });

  it('a habit was made on the day that it was then: no day before it is missed', async () => {
    const { ana, makes, does, read, states } = await person();
    const swim = await makes('title: "Swim"');
    const run = await makes('title: "Run", schedule: { timesPer: { count: 2, period: WEEK } }');
    const coffee = await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
    await does(swim, [2, 3, 4]);
    await does(run, [2, 4]);
    await ana.query('mutation { updateProfile(input: { timeZone: "Pacific/Honolulu" }) { user { id } } }');
    const stateOf = async (task: string) => (await states(task, 1, 2)).map(({ state }) => state);
    expect(await stateOf(swim)).toEqual(['REST', 'KEPT']);
    expect(await stateOf(coffee)).toEqual(['REST', 'KEPT']);
    const rate = 'statistics(from: "2026-10-26", to: "2026-11-08") { rate missedDays }';
    for (const task of [swim, run])
      expect((await read(task, rate)).statistics).toEqual({ rate: 1, missedDays: 0 });
    expect((await read(coffee, STREAK)).streak).toMatchObject({ count: 1 });
  });

  it('a day that is not over has broken nothing, though a day after it was kept', async () => {
    const { ana, makes, does, states } = await person();
    const swim = await makes('title: "Swim"');
    await does(swim, [2, 4]);
    expect(await states(swim, 3, 3)).toMatchObject([{ streakEffect: 'BROKEN' }]);
    await ana.query('mutation { updateProfile(input: { timeZone: "Pacific/Honolulu" }) { user { id } } }');
    expect(await states(swim, 3, 4)).toMatchObject([{ streakEffect: 'NONE' }, { streakEffect: 'STARTED' }]);
  });
});
