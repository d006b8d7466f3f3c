import { describe, expect, it } from 'vitest';
import { loopExportFrom } from '../../src/takeout/loop/habits.js';
import { linesOf } from '../../src/takeout/loop/left.js';
import { HEADS, loopFiles, zipOf } from '../support/loop.js';

const read = (files: Parameters<typeof zipOf>[0]) => loopExportFrom(zipOf(files));
const daysOf = (files: Record<string, string>) =>
  Object.fromEntries(read(files).habits.map(({ task, days }) => [task.title, days]));
const only = (days: string, head = HEADS.now, row = '001,Run,YES_NO,,,1,1,#000000,,,,false') => ({
  'Habits.csv': `${head}\n${row}\n`,
  '001 Run/Checkmarks.csv': days,
});

describe('An export of Loop Habit Tracker', () => {
  it('has habits with the days on which they were done, and sums of everything else', () => {
    const { habits, left } = read(loopFiles());
    expect(
      habits.map(({ task, isArchived, days }) => [task.title, task.isDailyRoutine, isArchived, days]),
    ).toEqual([
      ['Meditate', true, false, ['2026-11-21', '2026-11-20', '2026-11-18']],
      ['Wake up, early', false, false, ['2026-11-19']],
      ['Lauf 😀', true, false, ['2026-11-20', '2026-11-17']],
      ['Cigarettes', true, false, ['2026-11-20', '2026-11-19']],
      ['Old "habit"', true, true, ['2020-02-29', '2020-02-28']],
      ['Meditate', true, false, []],
    ]);
    expect(habits[0]?.task).toMatchObject({ description: 'Ten minutes', points: 10 });
    expect(new Set(habits.map(({ key }) => key)).size).toBe(6);
    expect(linesOf(left)).toEqual([
      '2 days skipped (SKIP)',
      '1 days that Loop filled in because of the frequency (YES_AUTO)',
      '1 days marked as not done (NO)',
      '1 days without an answer (UNKNOWN)',
      '3 days on which an amount missed its target',
      '7 amounts: a day on which the target was reached is kept as done',
      '3 notes',
      '2 questions of habits',
      '1 frequencies of habits that are not daily',
      '2 units and targets of habits',
      '6 colours of habits',
      'scores: Loop computes them',
      'reminders: Loop does not write them into this file',
    ]);
  });

  it('of earlier releases has numbers, other columns and no heads', () => {
    const before = '2020-01-05,2\n2020-01-04,1\n2020-01-03,0\n2020-01-02,3\n2020-01-01,-1\n';
    expect(daysOf(only(before, HEADS.before, '001,Run,Far?,,1,1,#000000'))).toEqual({ Run: ['2020-01-05'] });
    expect(daysOf(only(before, HEADS.first, 'Run,Far?,1,1,#000000'))).toEqual({ Run: ['2020-01-05'] });
    const amounts = '2020-01-05,2\n2020-01-04,1500\n2020-01-03,0\n2020-01-02,3\n2020-01-01,-1\n';
    expect(daysOf(only(amounts, HEADS.before, '001,Run,Far?,,1,1,#000000'))).toEqual({
      Run: ['2020-01-05', '2020-01-04'],
    });
    const written = '\uFEFFDate,Value,Notes\r\n2020-01-05,7.5,\r\n2020-01-04,4.9,\r\n';
    expect(daysOf(only(written, HEADS.now, '001,Run,NUMERICAL,,,1,1,#000000,km,AT_LEAST,5.0,false'))).toEqual(
      { Run: ['2020-01-05'] },
    );
  });

  it('may have been packed anew: stored, in a folder, with what macOS adds', () => {
    const packed = Object.entries(loopFiles()).map(([name, text]) => ({
      name: `My/${name}`,
      text,
      method: 0,
    }));
    const others = [
      { name: 'My/', text: '' },
      { name: '__MACOSX/My/._Habits.csv', text: 'x' },
      { name: '__MACOSX/My/001 Meditate/Checkmarks.csv', text: 'x' },
    ];
    expect(read([...packed, ...others])).toEqual(read(loopFiles()));
  });

  it('counts a day once, the first line for it', () => {
    const { habits, left } = read(only('2020-01-05,2\n2020-01-05,0\n2020-01-05,2\n'));
    expect([habits[0]?.days, left.repeated, left.notDone]).toEqual([['2020-01-05'], 2, 0]);
  });

  const line = (number: number) => `001 Run/Checkmarks.csv, line ${number}: `;
  const noDay = 'this is not a day with its value, such as 2026-11-21,YES_MANUAL';
  it.each<[Parameters<typeof zipOf>[0], string]>([
    [{ 'a.txt': 'a' }, 'This is not an export of Loop Habit Tracker: it has no Habits.csv, or several'],
    [
      { 'Habits.csv': '', 'x/Habits.csv': '' },
      'This is not an export of Loop Habit Tracker: it has no Habits.csv, or several',
    ],
    [{ 'Habits.csv': '' }, 'Habits.csv does not have the columns that Loop writes'],
    [{ 'Habits.csv': 'Name,Age\nAna,7\n' }, 'Habits.csv does not have the columns that Loop writes'],
    [only('2020-02-30,2\n'), line(1) + noDay],
    [only('Date,Value\n\n2020-02-03,YES\n'), line(3) + noDay],
    [only('2020-02-03\n'), line(1) + noDay],
    [only('2020-02-03,2,a,b\n'), line(1) + noDay],
    [only('2020-02-03,2,"a\nb\n'), `${line(1)}a quotation mark is in the wrong place, or missing`],
    [
      only('2020-02-02,2,"a\nb"\n2020-02-03,2,"a"b\n'),
      `${line(3)}a quotation mark is in the wrong place, or missing`,
    ],
    [only('', HEADS.now, '001,Run,YES_NO'), 'Habits.csv, line 2: it does not have 12 columns'],
    [only('', HEADS.first, '" \n",,1,1,'), 'Habits.csv, line 2: Title must not be blank'],
    [
      only('', HEADS.first, `${'x'.repeat(501)},,1,1,`),
      'Habits.csv, line 2: Title must be at most 500 characters',
    ],
    [
      { ...only(''), '002 Run/Checkmarks.csv': '' },
      '002 Run/Checkmarks.csv belongs to no habit of Habits.csv',
    ],
    [only('', HEADS.first, 'Ran,,1,1,'), '001 Run/Checkmarks.csv belongs to no habit of Habits.csv'],
    [[{ name: 'Habits.csv', text: Buffer.from([0x4e, 0xff]) }], 'Habits.csv is not text in UTF-8'],
    [[{ name: 'Habits.csv', text: 'a', flags: 1 }], 'The ZIP archive is encrypted'],
    [
      [{ name: 'Habits.csv', text: 'a', method: 12 }],
      'The ZIP archive is packed in a way that is not known here',
    ],
    [[{ name: 'Habits.csv', text: 'aaa', size: 2 }], 'The ZIP archive is damaged'],
    [[{ name: 'Habits.csv', text: 'aaa', size: 4 }], 'The ZIP archive is damaged'],
    [{ 'Habits.csv': '', '\u001b[2J/x': '' }, 'The ZIP archive is damaged'],
    [[1, 2].map(() => ({ name: 'Habits.csv', text: 'a' })), 'The ZIP archive is damaged'],
  ])('is refused in one sentence: %#', (files, message) => {
    expect(() => read(files)).toThrow(message);
  });

  it('is refused wherever it is cut off or damaged, and never read for ever', () => {
    const whole = zipOf(loopFiles());
    const sentence = /^(The ZIP archive|This is not|[^\n]*(Habits|Checkmarks)\.csv)/;
    for (let length = 0; length < whole.length; length += 7)
      expect(() => loopExportFrom(whole.subarray(0, length))).toThrow('This is not a whole ZIP archive');
    let refused = 0;
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8((whole.readUInt8(at) + 128) % 256, at);
      try {
        loopExportFrom(damaged);
      } catch (error) {
        refused += 1;
        expect((error as Error).message).toMatch(sentence);
        expect((error as Error).name).not.toBe('RangeError');
      }
    }
    expect(refused).toBeGreaterThan(whole.length / 4);
  });

  it('may not unpack to more than 64 MiB, whatever it says', () => {
    const large = 'x'.repeat(40 * 1_024 * 1_024);
    const most = 'The ZIP archive holds more than 10000 files, or 67108864 bytes';
    const bomb = [{ name: 'Habits.csv', text: large }];
    expect(() => read([{ ...bomb[0], name: 'Habits.csv', text: large, size: 5 }])).toThrow(
      'The ZIP archive is damaged',
    );
    const table = { name: 'Habits.csv', text: `${HEADS.first}\nRun,,1,1,\nSwim,,1,1,\n` };
    const days = ['001 Run', '002 Swim'].map((name) => ({
      name: `${name}/Checkmarks.csv`,
      text: `2020-01-01,2,"${large}"\n`,
    }));
    expect(() => read([table, ...days])).toThrow(most);
    expect(() => read([table, ...days.slice(0, 1)])).not.toThrow();
    expect(() =>
      read(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, text: '' }))),
    ).toThrow(most);
  });

  it('has at most as many lines and columns as fit into the memory', () => {
    const message = '001 Run/Checkmarks.csv has more than 100000 lines, or 100 columns';
    const lines = (count: number) => only('2020-01-01,2\n'.repeat(count));
    expect(read(lines(100_000)).left.repeated).toBe(99_999);
    expect(() => read(lines(100_001))).toThrow(message);
    expect(() => read(only(','.repeat(1_000_000)))).toThrow(message);
  });

  it('is told from Loop’s other file, the database', () => {
    expect(() => loopExportFrom(Buffer.from('SQLite format 3\0'))).toThrow('choose “Export as CSV” instead');
  });
});
