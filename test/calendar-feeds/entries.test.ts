import { describe, expect, it } from 'vitest';
import { type TestUser, type World, world, worldOf } from '../support/world.js';
import { calendarOf, daysWith, type Entry, entriesIn, hasHabit, parsed, read } from './reading.js';

const TODAY = '2026-11-21'; // a Saturday
const RANGE = { from: '2026-10-22', to: '2026-12-21' };

const DAYS = `query ($id: ID!, $from: Date!, $to: Date!) {
  task(id: $id) { title calendar(from: $from, to: $to) { date isDue state } }
}`;

const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

/** What a calendar should say of a task, by what GraphQL says of its days. */
async function expectedOf(ana: TestUser, id: string) {
  const { task } = await ana.query(DAYS, { id, ...RANGE });
  const due = task.calendar.filter((day: { isDue: boolean }) => day.isDue);
  return due.map(({ date, state }: { date: string; state: string }) => ({
    summary: state === 'KEPT' ? `✓ ${task.title}` : task.title,
    ...{ start: date, end: later(date, 1) },
    status: state === 'SKIPPED' || state === 'PAUSED' ? 'CANCELLED' : 'CONFIRMED',
  }));
}

const told = ({ summary, start, end, status }: Entry) => ({ summary, start, end, status });

const isOf = (title: string) => (entry: Entry) => entry.summary.replace(/^✓ /, '') === title;

/** A world in which Ana has been since a day. */
async function since(day: string) {
  const here = await world();
  here.clock.set(`${day}T12:00:00.000Z`);
  return { here, ana: await here.newUser() };
}

async function completesOn({ clock, renewed }: World, ana: TestUser, id: string, ...dates: string[]) {
  const before = clock.now().toISOString();
  for (const date of dates) {
    clock.set(`${date}T12:00:00.000Z`);
    await renewed(ana).completes({ id: Number(id) });
  }
  clock.set(before);
}

describe('The entries of a calendar', () => {
  it('are the days of its tasks that ask for something, with those that were kept and those that rest', async () => {
    const { here, ana } = await since('2026-11-02');
    const habits = {
      Swim: 'title: "Swim"',
      Read: 'title: "Read", schedule: { weekdays: [MONDAY, THURSDAY] }',
      Water: 'title: "Water", schedule: { everyDays: 3 }',
      Run: 'title: "Run", schedule: { timesPer: { count: 2, period: WEEK } }',
      Drink: 'title: "Drink", target: { amount: 2, unit: "glasses" }',
    };
    const ids = new Map<string, string>();
    for (const [title, input] of Object.entries(habits)) ids.set(title, await hasHabit(ana, input));
    here.clock.set(`${TODAY}T12:00:00.000Z`);
    for (const [title, ...dates] of [
      ['Swim', '2026-11-03', '2026-11-04', TODAY],
      ['Read', '2026-11-05', '2026-11-06'],
      ['Water', '2026-11-04', '2026-11-09'],
      ['Run', '2026-11-03', '2026-11-04', '2026-11-17'],
      ['Drink', '2026-11-10'],
    ] as const)
      await completesOn(here, ana, ids.get(title) ?? '', ...dates);
    for (const date of ['2026-11-20', '2026-11-25'])
      await ana.query(`mutation { skipDay(taskId: ${ids.get('Swim')}, date: "${date}") { date } }`);
    const { path } = await calendarOf(ana);
    const entries = await entriesIn(here, path);
    for (const [title, id] of ids) {
      const expected = await expectedOf(ana, id);
      expect(expected.length, title).toBeGreaterThan(8);
      expect(entries.filter(isOf(title)).map(told), title).toEqual(expected);
    }
    expect(daysWith(entries, '✓ Swim')).toEqual(['2026-11-03', '2026-11-04', TODAY]);
    expect(entries.filter(({ status }) => status === 'CANCELLED').map(({ start }) => start)).toEqual([
      ...['2026-11-20', '2026-11-25'],
    ]);
    const days = entries.map(({ start }) => start);
    expect(days).toEqual(days.toSorted());
    expect([days[0], days.at(-1)]).toEqual(['2026-11-02', RANGE.to]);
    expect(entries.filter(({ start }) => start === TODAY).map(({ summary }) => summary)).toEqual([
      ...['✓ Swim', 'Water', 'Run', 'Drink'],
    ]);
  });

  it('have a target of a week once, on its last day, whatever the day on which it was reached', async () => {
    const { here, ana } = await since('2026-10-28');
    const id = await hasHabit(ana, 'title: "Run", target: { amount: 2, unit: "km", per: WEEK }');
    await completesOn(here, ana, id, '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-13', TODAY, TODAY);
    here.clock.set(`${TODAY}T12:00:00.000Z`);
    const me = here.renewed(ana);
    const { path } = await calendarOf(me);
    const entries = await entriesIn(here, path);
    expect(entries.map(({ start }) => start)).toEqual([
      ...['2026-11-01', '2026-11-08', '2026-11-15', '2026-11-22'],
      ...['2026-11-29', '2026-12-06', '2026-12-13', '2026-12-20'],
    ]);
    expect(daysWith(entries, '✓ Run')).toEqual(['2026-11-08', '2026-11-22']);
    await me.query('mutation { updateProfile(input: { weekStartsOn: SUNDAY }) { user { id } } }');
    expect(daysWith(await entriesIn(here, path), '✓ Run')).toEqual(['2026-11-07', '2026-11-21']);
  });

  it('have a target of a month once, with what days before the first one shown have brought, and cancelled if all rest', async () => {
    const { here, ana } = await since('2026-10-01');
    const id = await hasHabit(ana, 'title: "Run", target: { amount: 3, unit: "km", per: MONTH }');
    const walk = await hasHabit(ana, 'title: "Walk", target: { amount: 2, unit: "km", per: WEEK }');
    await completesOn(here, ana, id, '2026-10-01', '2026-10-02', '2026-10-31');
    here.clock.set(`${TODAY}T12:00:00.000Z`);
    const me = here.renewed(ana);
    await me.query(
      `mutation { createPause(input: { taskId: ${walk}, from: "2026-11-23", until: "2026-11-30" }) { pause { id } } }`,
    );
    const entries = await entriesIn(here, (await calendarOf(me)).path);
    expect(entries.filter(isOf('Run')).map(({ summary, start }) => [start, summary])).toEqual([
      ['2026-10-31', '✓ Run'],
      ['2026-11-30', 'Run'],
    ]);
    const cancelled = entries.filter(({ status }) => status === 'CANCELLED');
    expect(cancelled.map(({ start }) => start)).toEqual(['2026-11-29']);
  });

  it('have a pause as one, with its own first and last day', async () => {
    const { ana, ...here } = await worldOf('ana');
    const id = await hasHabit(ana, 'title: "Swim"');
    const other = await hasHabit(ana, 'title: "Read", tags: ["quiet"]');
    const pause = (input: string) =>
      ana.query(`mutation { createPause(input: { ${input} }) { pause { id } } }`);
    await pause('from: "2026-11-24", until: "2026-11-26"');
    await pause(`taskId: ${id}, from: "2026-11-16", until: "2026-11-16"`);
    await pause(`taskId: ${other}, from: "2026-12-20"`);
    await pause('from: "2026-12-22", until: "2026-12-30"');
    const { path } = await calendarOf(ana);
    const entries = await entriesIn(here, path);
    const pauses = entries.filter(({ uid }) => uid.startsWith('pause'));
    expect(pauses.map(told)).toEqual([
      { summary: 'Pause: Swim', start: '2026-11-16', end: '2026-11-17', status: 'CONFIRMED' },
      { summary: 'Pause', start: '2026-11-24', end: '2026-11-27', status: 'CONFIRMED' },
      { summary: 'Pause: Read', start: '2026-12-20', end: '2026-12-22', status: 'CONFIRMED' },
    ]);
    const resting = entries.filter(({ status }) => status === 'CANCELLED').filter(isOf('Swim'));
    expect(resting.map(({ start }) => start)).toEqual(['2026-11-24', '2026-11-25', '2026-11-26']);
    const quiet = await calendarOf(ana, { tag: 'quiet' });
    const ofQuiet = (await entriesIn(here, quiet.path)).filter(({ uid }) => uid.startsWith('pause'));
    expect(ofQuiet.map(({ summary }) => summary)).toEqual(['Pause', 'Pause: Read']);
  });

  it('are those of a tag, of a section, or of both, and none of limits and of what is archived', async () => {
    const { ana, ...here } = await worldOf('ana');
    await hasHabit(ana, 'title: "Swim", tags: ["Sport"], section: "Morning"');
    await hasHabit(ana, 'title: "Run", tags: ["sport", "outside"], section: "Evening"');
    await hasHabit(ana, 'title: "Floss", section: "morning"');
    await hasHabit(ana, 'title: "Read"');
    for (const per of ['DAY', 'WEEK'])
      await hasHabit(ana, `title: "Coffee", target: { amount: 2, unit: "cups", kind: AT_MOST, per: ${per} }`);
    const old = await hasHabit(ana, 'title: "Old"');
    await ana.query(`mutation { archiveTask(id: ${old}) { task { id } } }`);
    const titles = async (input: object) => {
      const { path } = await calendarOf(ana, input);
      return [...new Set((await entriesIn(here, path)).map(({ summary }) => summary))];
    };
    expect(await titles({})).toEqual(['Swim', 'Run', 'Floss', 'Read']);
    expect(await titles({ tag: ' SPORT ' })).toEqual(['Swim', 'Run']);
    expect(await titles({ section: 'MORNING' })).toEqual(['Swim', 'Floss']);
    expect(await titles({ tag: 'sport', section: 'evening' })).toEqual(['Run']);
    expect(await titles({ tag: 'outside', section: 'Morning' })).toEqual([]);
  });

  it('are at most 2,000, those nearest to today', async () => {
    const { here, ana } = await since('2026-10-01');
    for (let count = 0; count < 50; count += 1) await ana.hasTask();
    here.clock.set(`${TODAY}T12:00:00.000Z`);
    const { text } = await read(here, (await calendarOf(here.renewed(ana))).path);
    const days = [...text.matchAll(/^DTSTART;VALUE=DATE:(\d+)/gm)].map(([, day]) => day);
    expect(days).toHaveLength(2_000);
    expect(new Set(days).size).toBe(40); // each of them whole
    expect([days[0], days.filter((day) => day === '20261121').length]).toEqual(['20261101', 50]);
  });
});

describe('The days of a calendar', () => {
  it('are those of its user, in their time zone and by their hour', async () => {
    const { ana, ...here } = await worldOf('ana');
    const set = (zone: string, hour: number) =>
      ana.query(
        `mutation { updateProfile(input: { timeZone: "${zone}", dayStartsAt: ${hour} }) { user { today } } }`,
      );
    const id = await hasHabit(ana, 'title: "Swim"');
    const { path } = await calendarOf(ana, { links: true });
    const now = async () => {
      const { calendar, entries } = parsed((await read(here, path)).text);
      expect(calendar.getAllSubcomponents('vtimezone')).toEqual([]);
      const [today] = entries.filter(({ url }) => url);
      return [today?.start, today?.stamp, entries.at(-1)?.start];
    };
    here.clock.set('2026-11-21T23:30:00.000Z');
    await set('Pacific/Auckland', 0);
    expect(await now()).toEqual(['2026-11-22', '2026-11-22T00:00:00Z', '2026-12-22']);
    await set('America/New_York', 0);
    expect(await now()).toEqual(['2026-11-21', '2026-11-21T00:00:00Z', '2026-12-21']);
    await set('Europe/Berlin', 4); // there it is half past midnight
    expect(await now()).toEqual(['2026-11-21', '2026-11-21T00:00:00Z', '2026-12-21']);
    await ana.completes({ id: Number(id) });
    expect(daysWith(await entriesIn(here, path), '✓ Swim')).toEqual(['2026-11-21']);
  });
});
