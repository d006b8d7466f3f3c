import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { person } from '../schedules/person.js';
import type { TestUser } from '../support/world.js';

interface Day {
  date: string;
  state: string;
  isDue: boolean;
  isSkipped: boolean;
}

interface Pause {
  from: string;
  until: string | null;
}

interface Read {
  archivedAt: string | null;
  schedule: { timesPer: { count: number } | null };
  target: { kind: string; per: string } | null;
  pauses: Pause[];
  calendar: Day[];
}

const RANGE = 'from: "2026-10-30", to: "2026-11-30"';
const ALL = `{
  me { pauses { from until } calendar(${RANGE}) { date dueCount keptCount } }
  tasks(archived: ANY, first: 100) { nodes {
    archivedAt schedule { timesPer { count } } target { kind per } pauses { from until } calendar(${RANGE}) { date state isDue isSkipped }
  } }
}`;

/** What the calendars of the tasks say of all of them together. */
function counted(pausesOfAll: Pause[], tasks: Read[], date: string) {
  const asked = tasks.filter(({ archivedAt, schedule, target, pauses, calendar }) => {
    const day = calendar.find((each) => each.date === date);
    const isPaused = [...pausesOfAll, ...pauses].some(
      ({ from, until }) => from <= date && (until === null || date <= until),
    );
    const isNeutral = day?.state !== 'KEPT' && (isPaused || day?.isSkipped);
    const isInUse = archivedAt === null || date < archivedAt.slice(0, 10);
    const isOfPeriod = schedule.timesPer !== null || (target !== null && target.per !== 'DAY');
    const isAskedFor = isOfPeriod ? day?.state === 'PARTIAL' : day?.isDue;
    const isCounted = day?.state === 'KEPT' || (isAskedFor && !isNeutral);
    return isCounted && isInUse && target?.kind !== 'AT_MOST';
  });
  const isKept = ({ calendar }: Read) => calendar.some((day) => day.date === date && day.state === 'KEPT');
  return { date, dueCount: asked.length, keptCount: asked.filter(isKept).length };
}

async function expectSame(ana: TestUser) {
  const { me, tasks } = await ana.query(ALL);
  expect(me.calendar).toEqual(
    me.calendar.map(({ date }: Day) => counted(me.pauses, tasks.nodes as Read[], date)),
  );
  return me.calendar as { date: string; dueCount: number; keptCount: number }[];
}

describe('A day of the user', () => {
  it('counts what was asked for and kept: no limit, nothing archived, skipped or paused, unless it was kept', async () => {
    const { ana, makes, at, does } = await person();
    const swim = await makes('title: "Swim"');
    const read = await makes('title: "Read", schedule: { weekdays: [MONDAY, THURSDAY] }');
    const water = await makes('title: "Water", target: { amount: 8, unit: "glasses" }');
    await makes('title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST }');
    await does(swim, [2, 3, 5]);
    await does(water, [3], ', amount: 3');
    await does(read, [5]);
    at(6);
    for (const change of [
      `skipDay(taskId: ${swim}, date: "2026-11-05") { date }`, // and was kept
      `skipDay(taskId: ${water}, date: "2026-11-03") { date }`, // and was not, though something was done
      'createPause(input: { from: "2026-11-04", until: "2026-11-04" }) { pause { id } }',
      `archiveTask(id: ${water}) { task { id } }`,
    ])
      await ana.query(`mutation { ${change} }`);
    at(7);
    const days = await expectSame(ana);
    const of = (date: string) => days.find((day) => day.date === date);
    expect(of('2026-11-01')).toMatchObject({ dueCount: 0, keptCount: 0 }); // there was nothing yet
    expect(of('2026-11-02')).toMatchObject({ dueCount: 3, keptCount: 1 });
    expect(of('2026-11-03')).toMatchObject({ dueCount: 1, keptCount: 1 });
    expect(of('2026-11-04')).toMatchObject({ dueCount: 0, keptCount: 0 });
    expect(of('2026-11-05')).toMatchObject({ dueCount: 3, keptCount: 2 });
    expect(of('2026-11-06')).toMatchObject({ dueCount: 1, keptCount: 0 });
    expect(of('2026-11-09')).toMatchObject({ dueCount: 2, keptCount: 0 }); // is ahead
  });

  it('is no day of a week or month, but where that was kept, or its last day fell short', async () => {
    const { ana, makes, at, does } = await person();
    const gym = await makes('title: "Gym", schedule: { weekdays: [MONDAY] }');
    const run = await makes('title: "Run", schedule: { timesPer: { count: 3, period: WEEK } }');
    const spanish = await makes('title: "Spanish", target: { amount: 150, unit: "minutes", per: WEEK }');
    await does(gym, [3]); // nobody had asked for it
    await does(run, [3, 5]);
    await does(spanish, [5, 8], ', amount: 60');
    at(9);
    const days = (await expectSame(ana)).filter(({ date }) => '2026-11-02' <= date && date <= '2026-11-08');
    expect(days.map(({ dueCount, keptCount }) => [keptCount, dueCount])).toEqual([
      ...[
        [0, 1],
        [2, 2],
        [0, 0],
        [2, 2],
        [0, 0],
        [0, 0],
        [0, 1],
      ],
    ]);
  });

  it('is, in any life, what the calendars of the tasks say', async () => {
    const plan = fc.constantFrom(
      '',
      'schedule: { weekdays: [MONDAY, SATURDAY] }',
      'schedule: { everyDays: 3 }',
      'schedule: { timesPer: { count: 2, period: WEEK } }',
      'target: { amount: 3, unit: "km" }',
      'target: { amount: 9, unit: "km", per: WEEK }',
      'target: { amount: 2, unit: "cups", kind: AT_MOST }',
    );
    const step = fc.record({
      day: fc.integer({ min: 2, max: 20 }),
      task: fc.nat(3),
      what: fc.constantFrom('does', 'does', 'does', 'skips', 'pauses', 'pauses all', 'archives', 'returns'),
    });
    const life = fc.tuple(
      fc.array(plan, { minLength: 4, maxLength: 4 }),
      fc.array(step, { minLength: 15, maxLength: 40 }),
    );
    const property = fc.asyncProperty(life, async ([plans, steps]) => {
      const { ana, makes, at } = await person();
      const ids: string[] = [];
      for (const each of plans) ids.push(await makes(`title: "Habit", ${each}`));
      const changes: Record<string, (id: string, date: string) => string> = {
        does: (id) => `completeTask(taskId: ${id}, amount: 2) { isReplayed }`,
        skips: (id, date) => `skipDay(taskId: ${id}, date: "${date}") { date }`,
        pauses: (id, date) =>
          `createPause(input: { taskId: ${id}, from: "${date}", until: "${date}" }) { pause { id } }`,
        'pauses all': (_, date) =>
          `createPause(input: { from: "${date}", until: "${date}" }) { pause { id } }`,
        archives: (id) => `archiveTask(id: ${id}) { task { id } }`,
        returns: (id) => `unarchiveTask(id: ${id}) { task { id } }`,
      };
      for (const { day, task, what } of [...steps].sort((one, other) => one.day - other.day)) {
        at(day);
        const date = `2026-11-${String(day).padStart(2, '0')}`;
        const change = changes[what]?.(ids[task] ?? '', date);
        const { errors } = await ana.rest.ask(`mutation { ${change} }`);
        for (const { extensions } of errors ?? [])
          expect(['TASK_ARCHIVED', 'PAUSE_OVERLAPS']).toContain(extensions.reason);
      }
      await expectSame(ana);
    });
    await fc.assert(property, { numRuns: Number(process.env.HABIT_LIVES ?? 12) });
  });
});
