import { describe, expect, it } from 'vitest';
import { convertLoop } from '../../src/features/export-import/loop/convert.js';
import {
  linesOf,
  type NotImported,
  nothingLeftOut,
} from '../../src/features/export-import/loop/not-imported.js';
import { HEADS, LEFT_OUT, loopFiles, zipOf } from '../support/loop.js';

const NOW = new Date('2026-11-21T11:00:00.000Z');
const convert = (bytes: Buffer) => convertLoop(bytes, NOW);

const OF_A_DAY = { kind: 'AT_LEAST', per: 'DAY' };

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape
type Document = Record<'tasks' | 'completions' | 'skips', any[]>;
function read(files: Parameters<typeof zipOf>[0]) {
  const { document, left } = convert(zipOf(files));
  return { left, ...(document as unknown as Document) };
}
const only = (days: string, head = HEADS.now, row = '001,Run,YES_NO,,,1,1,#000000,,,,false') => ({
  'Habits.csv': `${head}\n${row}\n`,
  '001 Run/Checkmarks.csv': days,
});

describe('An export of Loop Habit Tracker', () => {
  it('has habits with the days on which they were done, and sums of everything else', () => {
    const { tasks, completions, skips, left } = read(loopFiles());
    const daysIn = (id: number) => completions.filter(({ task }) => task === id).map(({ day }) => day);
    expect(
      tasks.map(({ title, isDailyRoutine, archivedAt }, index) => [
        ...[title, isDailyRoutine, archivedAt !== null, daysIn(index + 1)],
      ]),
    ).toEqual([
      ['Meditate', true, false, ['2026-11-21', '2026-11-20', '2026-11-18']],
      ['Wake up, early', false, false, ['2026-11-19']],
      ['Lauf 😀', true, false, ['2026-11-20', '2026-11-19', '2026-11-17']],
      ['Cigarettes', true, false, ['2026-11-19', '2026-11-18']],
      ['Old "habit"', false, true, ['2020-02-29', '2020-02-28']],
      ['Meditate', true, false, []],
    ]);
    expect(tasks[0]).toMatchObject({ description: 'Ten minutes', points: 10 });
    expect(tasks.map(({ schedule, target, colour }) => [schedule, target, colour])).toEqual([
      [null, null, 'AMBER'],
      [{ times: { times: 4, per: 'WEEK' } }, null, 'TEAL'],
      [null, { amount: 5, unit: 'km', ...OF_A_DAY }, 'LIME'],
      [null, { amount: 2, unit: 'times', kind: 'AT_MOST', per: 'DAY' }, 'GREY'],
      [{ times: { times: 1, per: 'WEEK' } }, null, 'PINK'],
      [null, null, undefined],
    ]);
    expect(tasks.map(({ createdAt }) => createdAt)).toEqual([
      ...['2026-11-18T10:00:00.000Z', '2026-11-19T10:00:00.000Z', '2026-11-16T10:00:00.000Z'],
      ...['2026-11-18T10:00:00.000Z', '2020-02-28T10:00:00.000Z', NOW.toISOString()],
    ]);
    expect(skips).toEqual([
      { task: 1, date: '2026-11-19', note: 'Ill' },
      { task: 3, date: '2026-11-16', note: null },
    ]);
    expect(completions.filter(({ amount, note }) => amount !== null || note !== null)).toMatchObject([
      { task: 1, day: '2026-11-20', amount: null, note: 'Calm, "very"\nindeed' },
      { task: 3, day: '2026-11-20', amount: 5, note: null },
      { task: 3, day: '2026-11-19', amount: 4.999, note: null },
      { task: 3, day: '2026-11-17', amount: 12.5, note: 'far' },
      { task: 4, day: '2026-11-19', amount: 2, note: null, points: 0 },
      { task: 4, day: '2026-11-18', amount: 3, note: null, points: 0 },
    ]);
    expect(linesOf(left)).toEqual(LEFT_OUT);
  });

  it('of earlier releases has numbers, other columns and no heads', () => {
    const before = '2020-01-05,2\n2020-01-04,1\n2020-01-03,0\n2020-01-02,3\n2020-01-01,-1\n';
    const done = [{ day: '2020-01-05' }];
    expect(read(only(before, HEADS.before, '001,Run,Far?,,1,1,#000000')).completions).toMatchObject(done);
    expect(read(only(before, HEADS.first, 'Run,Far?,1,1,#000000')).completions).toMatchObject(done);
    const amounts = '2020-01-05,2\n2020-01-04,1500\n2020-01-03,0\n2020-01-02,3\n2020-01-01,-1\n';
    const measured = read(only(amounts, HEADS.before, '001,Run,Far?,,1,1,#000000')).completions;
    expect(measured.map(({ amount }) => amount)).toEqual([0.002, 1.5]);
  });

  it.each<[frequency: string, schedule: object | null, leftOut: number]>([
    ['1,2', { every: 2 }, 0],
    ['1,30', { times: { times: 1, per: 'MONTH' } }, 0],
    ['2,14', { times: { times: 1, per: 'WEEK' } }, 1],
    ['3,14', { every: 5 }, 1],
    ['0,7', null, 1],
  ])(
    'has a schedule for the frequency %s, or the nearest that asks for no more',
    (given, schedule, leftOut) => {
      const { tasks, left } = read(only('', HEADS.first, `Run,,${given},`));
      expect([tasks[0].schedule, left.frequencies]).toEqual([schedule, leftOut]);
    },
  );

  it.each<[columns: string, target: object | null, said: Partial<NotImported>]>([
    [`1,1,,${'é'.repeat(31)},AT_LEAST,8`, { amount: 8, unit: 'é'.repeat(30), ...OF_A_DAY }, { units: 1 }],
    ['1,7,,km,AT_LEAST,30', { amount: 4.285, unit: 'km', ...OF_A_DAY }, { shares: 1 }],
    ['1,1,,km,AT_LEAST,0', null, { targets: 1 }],
    ['1,7,,cups,AT_MOST,0', { amount: 0, unit: 'cups', kind: 'AT_MOST', per: 'WEEK' }, {}],
    ['1,3,,cups,AT_MOST,9', { amount: 9, unit: 'cups', kind: 'AT_MOST', per: 'DAY' }, { frequencies: 1 }],
  ])('has a target for what is measured, or says why not: %s', (columns, target, said) => {
    const { tasks, left } = read(only('', HEADS.now, `001,Run,NUMERICAL,,,${columns},false`));
    expect(tasks[0].target).toEqual(target);
    expect(left).toEqual({ ...nothingLeftOut(), ...said });
  });

  it('keeps as much of a note as one may have, and counts a day once, the first line for it', () => {
    const days = `2020-01-05,2,"${'😀'.repeat(1_001)}"\n2020-01-05,0\n2020-01-05,2\n`;
    const { completions, left } = read(only(days));
    expect(completions).toMatchObject([{ day: '2020-01-05', note: '😀'.repeat(1_000) }]);
    expect([left.cutNotes, left.repeated, left.notDone]).toEqual([1, 2, 0]);
  });

  it('records a day at noon UTC, today’s not in the future, and none that has not begun anywhere', () => {
    const { completions, left } = read(only('2026-11-23,2\n2026-11-22,2\n2026-11-21,2\n2026-11-20,2\n'));
    expect(completions).toMatchObject([
      { day: '2026-11-22', completedAt: '2026-11-21T11:00:00.000Z' },
      { day: '2026-11-21', completedAt: '2026-11-21T11:00:00.000Z' },
      { day: '2026-11-20', completedAt: '2026-11-20T12:00:00.000Z' },
    ]);
    expect(left.tooNew).toBe(1);
  });

  it('may have been packed anew: stored, in a folder, with what macOS adds', () => {
    const packed = Object.entries(loopFiles()).map(([name, text]) => ({
      name: `My/${name}`,
      text,
      method: 0,
    }));
    const others = ['My/', '__MACOSX/My/._Habits.csv', '__MACOSX/My/001 Meditate/Checkmarks.csv'];
    const added = others.map((name) => ({ name, text: name.endsWith('/') ? '' : 'x' }));
    expect(read([...packed, ...added])).toEqual(read(loopFiles()));
  });

  const line = (number: number) => `001 Run/Checkmarks.csv, line ${number}: `;
  const noDay = 'this is not a day with its value, such as 2026-11-21,YES_MANUAL';
  it.each<[Parameters<typeof zipOf>[0], string]>([
    [{ 'a.txt': 'a' }, 'This is not an export of Loop Habit Tracker: it has no Habits.csv, or several'],
    [{ 'Habits.csv': 'Name,Age\nAna,7\n' }, 'Habits.csv does not have the columns that Loop writes'],
    [only('2020-02-30,2\n'), line(1) + noDay],
    [only('Date,Value\n\n2020-02-03,YES\n'), line(3) + noDay],
    [only('2020-02-03,1000000000001\n'), `${line(1)}the amount is larger than 1,000,000,000`],
    [only('2020-02-03,2,"a\nb\n'), `${line(2)}a quotation mark is in the wrong place, or missing`],
    [only('', HEADS.now, '001,Run,YES_NO'), 'Habits.csv, line 2: it does not have 12 columns'],
    [only('', HEADS.first, '" \n",,1,1,'), 'Habits.csv, line 3: Title must not be blank'],
    [only('', HEADS.first, 'Ran,,1,1,'), '001 Run/Checkmarks.csv belongs to no habit of Habits.csv'],
    [[{ name: 'Habits.csv', text: Buffer.from([0x4e, 0xff]) }], 'Habits.csv is not text in UTF-8'],
    [[{ name: 'Habits.csv', text: 'a', method: 12 }], 'This is not a whole ZIP archive'],
  ])('is refused in one sentence: %#', (files, message) => {
    expect(() => read(files)).toThrow(message);
  });

  it('is refused wherever it is cut off, and where it unpacks to more than fits into the memory', () => {
    const whole = zipOf(loopFiles());
    for (let length = 0; length < whole.length; length += 97)
      expect(() => convert(whole.subarray(0, length))).toThrow('This is not a whole ZIP archive');
    const most = 'The ZIP archive holds more than 10000 files, or 67108864 bytes';
    const large = { text: '', size: 40 * 1_024 * 1_024 };
    expect(() => read([1, 2].map((name) => ({ name: `${name}.csv`, ...large })))).toThrow(most);
    const empty = { name: 'a', text: '', method: 0 };
    expect(() => read(Array(10_001).fill(empty))).toThrow(most);
    expect(() => read(only('2020-01-01,2\n'.repeat(100_001)))).toThrow(
      '001 Run/Checkmarks.csv has more than 100000 lines',
    );
  });
});
