import { expect, it } from 'vitest';
import type { Refusal } from '../../src/base/errors.js';
import { FileReader } from '../../src/features/export-import/file-reader.js';
import { FORMAT, Gathering } from '../../src/features/export-import/import-file.js';
import { importOf, jobOf } from '../../src/features/export-import/validate-import.js';
import { carried } from '../../src/features.js';

const here = {
  now: new Date('2026-11-21T12:00:00.000Z'),
  templates: [{ id: 1, title: 'A Good Week' }],
  hasZone: async (name: string) => name === 'Europe/Berlin',
  isAdded: false,
};
/** Without a thread, of which each takes as long as a hundred files. */
const read = async (text: string) => {
  const gathering = new Gathering();
  await new FileReader(jobOf(Buffer.from(text), here.now, carried), (part) => gathering.take(part)).read();
  return (await importOf(await gathering.contents, here, carried)).values;
};

const AT = '2026-11-20T08:00:00.000Z';
const account = { timeZone: null, dayStartsAt: 0 };
const task = { id: 7, title: 'Swim', points: 5, isDailyRoutine: false, createdAt: AT, updatedAt: AT };
const challenge = { templateId: 1, status: 'ABANDONED', startDate: AT, createdAt: AT, updatedAt: AT };
const completion = { task: 7, points: 5, completedAt: AT, day: '2026-11-20', recordedAt: AT };
const skip = { task: 7, date: '2026-11-20' };
const pause = { task: 7, from: '2026-11-20', until: '2026-11-22' };
const file = {
  ...{ format: 'steady-export', version: 2, account },
  ...{ tasks: [task], challenges: [challenge], completions: [completion], skips: [skip], pauses: [pause] },
};
const text = (changed: object) => JSON.stringify({ ...file, ...changed });
/** With one of these, changed. */
const ofTask = (changed: object) => text({ tasks: [{ ...task, ...changed }] });
const done = (changed: object) => text({ completions: [{ ...completion, ...changed }] });
const skipped = (changed: object) => text({ skips: [{ ...skip, ...changed }] });
const paused = (changed: object, ...more: object[]) => text({ pauses: [{ ...pause, ...changed }, ...more] });
const challenged = (changed: object) => text({ challenges: [{ ...challenge, ...changed }] });

const KNOWN = Array.from({ length: FORMAT.version }, (_, index) => index + 1).join(', ');
const NO_JSON = 'The file is not valid JSON';
const INSTANT = 'must be an instant since 1970 with its zone, such as 2026-11-21T08:30:00Z';
const ICON = 'Task 1: Icon must be one character or emoji';
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const active = { ...challenge, status: 'ACTIVE' };

it.each<[body: string, message: string]>([
  ['', NO_JSON],
  ['[]', 'The file must be a JSON object'],
  ['{"a":1 "b":2}', NO_JSON],
  [`${text({})}}`, NO_JSON],
  ['{}', 'Format must be steady-export'],
  [text({ version: FORMAT.version + 1, later: 1 }), `Version must be one of ${KNOWN}`],
  [text({ account: [] }), 'Account must be an object'],
  [text({ tasks: Array(2_001).fill(task) }), 'Tasks must be at most 2000'],
  [ofTask({ title: 'a\0b' }), 'Task 1: Title must not contain NUL characters'],
  [ofTask({ title: '\ud800' }), 'Task 1: Title must be well-formed Unicode'],
  [ofTask({ title: 'X' }).replace('"X"', deep), 'Task 1: title[0] must not be a list'],
  [ofTask({ description: 'x'.repeat(262_144) }), 'Task 1: A value is larger than 262144 characters'],
  [ofTask({ challengeTemplateId: 99 }), 'Task 1: The challenge template is not known here'],
  [ofTask({ createdAt: '2027-01-01T00:00:00.000Z' }), 'Task 1: Nothing may be in the future'],
  [ofTask({ madeOn: '2026-11-18' }), 'Task 1: Made on must be a day of created at, in some time zone'],
  [ofTask({ archivedAt: AT, archivedOn: '2026-11-22' }), 'Task 1: Archived on must be a day of archived at'],
  [challenged({ startedOn: '2026-11-22' }), 'Challenge 1: Started on must be a day of start date, in some'],
  [challenged({ status: 'COMPLETED' }), 'Challenge 1: Completed at must be set if it is completed'],
  [text({ challenges: [active, active] }), 'Challenge 2: Only one may be active'],
  [done({ completedAt: '2026-11-21T12:00:03.000Z' }), 'Completion 1: Nothing may be in the future'],
  [ofTask({ schedule: {} }), 'Task 1: Schedule must have exactly one of weekdays, every and times'],
  [
    ofTask({ schedule: { times: { times: 8, per: 'WEEK' } } }),
    'Task 1: Schedule must be 1 to 7 times a week',
  ],
  [ofTask({ target: { amount: 8 } }), 'Task 1: Target must have a unit'],
  [ofTask({ icon: 'ab' }), ICON],
  [ofTask({ icon: `a${'\u0301'.repeat(100_000)}` }), ICON],
  [ofTask({ tags: ['a', 'A'] }), 'Task 1: Tags must not name one twice'],
  [text({ skips: undefined }), 'Skips must be a list of objects'],
  [text({ skips: Array(100_001).fill({}) }), 'Skips must be at most 100000'],
  [text({ pauses: Array(50_001).fill({}) }), 'Pauses must be at most 50000'],
  [skipped({ task: 8 }), 'Skip 1: Task must be the id of one of the tasks'],
  [text({ skips: [skip, { ...skip, note: 'x' }] }), 'Skip 2: Date must be skipped once'],
  [skipped({ date: '2027-11-24' }), 'Skip 1: A day can be at most 366 days ahead'],
  [text({ pauses: Array(1_001).fill(pause) }), 'Pause 1001: There can be at most 1,000 pauses of one task'],
  [paused({ task: 8 }), 'Pause 1: Task must be the id of one of the tasks'],
  [paused({ from: '2099-01-01', until: null }), 'Pause 1: A day can be at most 366 days ahead'],
  [paused({ from: '2026-11-22', until: null }, pause), 'Pause 1: There is a pause on 2026-11-22 already'],
  [paused({ from: '2026-11-01', until: null }, pause), 'Pause 2: There is a pause on 2026-11-20 already'],
])('A file for an import is refused in one sentence, which names the part: %#', async (body, message) => {
  await expect(read(body)).rejects.toThrow(message);
});

it('A file may be in any order and layout', async () => {
  const turned = Object.fromEntries(Object.entries(file).reverse());
  const imported = await read(`\uFEFF ${JSON.stringify(turned, null, '\t\r\n ')}\n`);
  expect(imported).toEqual(await read(text({})));
  expect(imported.completions).toEqual([completion]);
});

const faultsOf = (body: string) =>
  read(body).then(
    () => [],
    (error: Refusal) => [error.message, ...(error.details.faults ?? []).map(({ path }) => path)],
  );

it('Fields that nobody knows are refused where they stand, whatever they hold', async () => {
  const deeper = '['.repeat(4_000) + ']'.repeat(4_000);
  const completions = [...Array(500).fill(completion), { ...completion, X: 'X' }];
  expect(await faultsOf(text({ completions }).replace('"X":"X"', `"x":${deeper}`))).toEqual([
    ...['Completion 501: x is not a field that Steady knows', 'completions[500].x'],
  ]);
  const wrong = text({
    colour: 1,
    account: { ...account, timezone: 'UTC' },
    tasks: [
      { ...task, color: 'RED', taget: null, schedule: { evry: 2, every: 2 } },
      { ...task, id: 8, reminders: [{ at: '08:00' }, { at: '09:00', days: [] }], 'a "b"': 1 },
    ],
    challenges: [],
    skips: [{ ...skip, skip: true }],
    pauses: [],
  }).replace('"colour":1', '"colour":1,"__proto__":{"a":1}');
  expect(await faultsOf(wrong)).toEqual([
    'colour is not a field that Steady knows',
    ...['colour', '__proto__', 'account.timezone'],
    ...['tasks[0].color', 'tasks[0].taget', 'tasks[0].schedule.evry'],
    ...['tasks[1]["a \\"b\\""]', 'tasks[1].reminders[1].days', 'skips[0].skip'],
  ]);
});

it('A file is told all its faults at once, each with its place, and at most a hundred', async () => {
  const wrong = text({
    account: { timeZone: 'Mars', dayStartsAt: 7 },
    tasks: [
      { ...task, title: ' ', points: 0, color: 'RED' },
      { ...task, id: 8 },
      { ...task, id: 8 },
    ],
    challenges: [{ ...challenge, status: 'DONE', startDate: 'soon' }],
    completions: [completion, { ...completion, task: 9 }, { ...completion, day: 'today', amount: 0 }],
    skips: [{ ...skip, date: '2026-02-30' }],
    pauses: [pause, pause, { ...pause, from: '2026-11-21', until: '2026-11-01' }],
  });
  expect(await faultsOf(wrong)).toEqual([
    'Task 1: color is not a field that Steady knows',
    ...['tasks[0].color', 'account.dayStartsAt', 'challenges[0].status', 'challenges[0].startDate'],
    ...['tasks[0].title', 'tasks[0].points', 'tasks[2].id'],
    ...['pauses[2].until', 'pauses[1].from', 'skips[0].date'],
    ...['completions[1].task', 'completions[2].day', 'completions[2].amount'],
  ]);
  const many = [
    text({ completions: Array(5_000).fill({ ...completion, task: 9 }) }),
    text({ completions: Array(5_000).fill({ ...completion, taks: 9 }) }),
  ];
  for (const each of many) expect(await faultsOf(each)).toHaveLength(101);
});

it('An instant may be written with less or more than milliseconds, and with nothing else', async () => {
  for (const [written, instant] of [
    ['2026-11-20T08:00:00.000999Z', AT],
    ['2026-11-20T08:00Z', AT],
    ['2026-11-20T08:00:00.5Z', '2026-11-20T08:00:00.500Z'],
  ]) {
    const { completions } = await read(done({ completedAt: written, recordedAt: written }));
    expect(completions).toEqual([{ ...completion, completedAt: instant, recordedAt: instant }]);
  }
  for (const written of [
    ...['2026-11-20T08:00:00', '2026-11-20', '2026-11-20 08:00:00Z'],
    ...['1969-12-31T23:59:59.999Z', '2026-02-30T00:00:00Z'],
  ])
    expect(await faultsOf(done({ recordedAt: written })), written).toEqual([
      ...[`Completion 1: Recorded at ${INSTANT}`, 'completions[0].recordedAt'],
    ]);
});

it.each([
  ['2026-11-21T10:00:00.000Z', '2026-11-22', 0], // midnight in Kiritimati
  ['2026-11-21T09:59:59.999Z', '2026-11-22', 1],
  ['2026-11-20T17:59:59.999Z', '2026-11-19', 0], // before six on Baker Island
  ['2026-11-20T18:00:00.000Z', '2026-11-19', 1],
])(
  'What was done at %s may be of a day that it was somewhere, also ahead, and of no other: %s',
  async (at, day, faults) => {
    const found = await faultsOf(done({ completedAt: at, recordedAt: at, day }));
    expect(found.slice(1)).toEqual(Array(faults).fill('completions[0].day'));
  },
);

it('Files of the first version are taken, and what an account keeps for itself is passed over', async () => {
  const { skips: _, pauses: __, ...first } = file;
  const own = { name: 'Ana', email: 'ana@example.com', profilePicture: null, createdAt: AT };
  const imported = await read(
    JSON.stringify({ ...first, version: 1, exportedAt: AT, account: { ...own, ...account } }),
  );
  expect(imported).toMatchObject({ tasks: [task], completions: [completion], skips: [], pauses: [] });
  const kept = { ...account, weekStartsOn: 'SUNDAY', dayReminder: null, language: null };
  const identities = [{ issuer: 'https://id.example.com', subject: '1', connectedAt: AT }];
  const checkInLinks = [{ name: 'Door', amount: null, createdAt: AT }];
  const later = await read(
    text({
      exportedAt: AT,
      account: { ...kept, ...own, identities },
      tasks: [{ ...task, checkInLinks, reminders: [{ at: '08:00', weekdays: null }] }],
    }),
  );
  expect(later.tasks?.[0]).not.toHaveProperty('checkInLinks');
  expect(later.account).toEqual([kept]);
});
