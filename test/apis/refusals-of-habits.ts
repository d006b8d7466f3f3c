import type { Ask, Asks, Refusal } from './refusal.js';
import { acts, createTask, each, invalid, many, refused, rule, TASK, update } from './refusal.js';

const over = (limit: string, asks: Asks) =>
  refused({ reason: 'TOO_COMPLEX', limit }, new RegExp(limit), asks);

const making = (field: string, value: unknown): Ask => {
  return (who) => who.createsTask({ isDailyRoutine: true, [field]: value });
};

const editing = (field: string, value: unknown): Ask => {
  return (who, { swim }) => who.changesTask({ id: swim }, { title: 'Run', [field]: value });
};

const ofTask = rule(making, editing);

/** REST says what was specified for it. */
const toNull = (field: string, label: string, must: string) =>
  invalid(
    field,
    { REST: `${label} ${must}`, GraphQL: `${label} cannot be null: leave it out to keep it` },
    { 'changed to null': editing(field, null) },
  );

/** Parts of a task that only GraphQL knows. */
const ofPlan = (says: string, ...inputs: string[]) =>
  invalid(undefined, says, {
    ...each('created with', inputs, (input) => createTask(`title: "Run", ${input}`)),
    ...each('changed to', inputs, (input) => update('$other', input)),
  });

const calendars = (days: string): Asks => ({
  [`calendar of the user, ${days}`]: `{ me { calendar(${days}) { date } } }`,
  [`calendar of a task, ${days}`]: `{ task(id: $swim) { calendar(${days}) { date } } }`,
});

const statistics = (days: string): Asks => ({
  [`statistics, ${days}`]: `{ task(id: $swim) { statistics(${days}) { rate } } }`,
});

const ofDays = (field: string, says: string, ...all: string[]) =>
  invalid(field, says, Object.assign({}, ...all.flatMap((days) => [calendars(days), statistics(days)])));

const KEY = 'Idempotency key must be 1 to 255 visible ASCII characters';
const WHOLE = 'A target of a week or month goes with the schedule of every day';
const LIMIT = 'target: { amount: 2, unit: "cups", kind: AT_MOST }';
const OF_WEEK = 'target: { amount: 5, unit: "km", per: WEEK }';
const NO_LIMIT = 'A limit cannot be part of a challenge';
const DUE = 'A limit must be due every day or on weekdays; it cannot have an interval or a number of times';
const FORMS =
  'Give `from` and `to`, or `from` alone for the days up to today, or `last` for the days that end today';
const MOVE = 'mutation ($section: String) { moveTask(id: 1, section: $section) { task { id } } }';
const RENAME = 'mutation ($name: String) { renameSection(name: "Evening", newName: $name) { taskCount } }';
const COMPLETE = 'mutation ($key: String) { completeTask(taskId: 1, idempotencyKey: $key) { isReplayed } }';
const MISFIT = /^Variable "\$\w+" (got an invalid value|of required type)/;
const ONE_KEY =
  /Give exactly one of everyDay, weekdays, everyDays, timesPer, and leave the others out: null counts as given\.$/;
const SECTIONS = ['', ' ', 'a\nb', 'x'.repeat(31), '\u202e'];
const NO_DAY = /Date must be a real day, such as 2026-11-21/;
const NO_DAYS = [
  ...'2026-02-29,2026-13-01,0000-01-01,-0001-01-01,10000-01-01'.split(','),
  ...'2026-1-1,20261121,2026-11-21T00:00:00Z, 2026-11-21,'.split(','),
];
const BELOW = 'completions { nodes { task { ';
const LISTS = '{ nodes { completions(first: 100) { nodes { id points } } } }';

/** Each fragment spreads the next one twice: written out, 2^40 fields. */
const BOMB = `query { ...f0 } fragment f40 on Query { me { id } } ${many(
  40,
  (i) => `fragment f${i} on Query { a${i}: __typename ...f${i + 1} ...f${i + 1} }`,
)}`;

/** The body is looked at before what it is about. */
const tasks: Refusal[] = [
  ofTask('Title must not be blank', '', '   ', '\n\t', '\u00a0\u3000'),
  ofTask('Title must be at most 500 characters long', 'x'.repeat(501)),
  ofTask('Description must be at most 10000 characters long', 'x'.repeat(10_001)),
  ofTask('Description must be well-formed Unicode', '\ud800'),
  ofTask('Points must be greater than zero', 0, -0, -1, -0.5, -5e-324, -1_000_000_001),
  ofTask('Points must be at most 1000000000', 1_000_000_001, 1_000_000_000.0001),
  toNull('points', 'Points', 'must be a number'),
  toNull('isDailyRoutine', 'Daily routine', 'must be true or false'),
  toNull('title', 'Title', 'must be text'),
  invalid('schedule', /cannot be null: leave it out to keep it$/, {
    'changed to null': update('$swim', 'schedule: null'),
  }),
  invalid('from', /cannot be null: leave it out to keep it$/, {
    'a pause changed to null': 'updatePause(id: "17", input: { from: null }) { user { id } }',
  }),
  invalid('note', 'Note must be given: null clears it', {
    forgotten: 'updateCompletionNote(id: $old) { completion { note } }',
  }),
  invalid('points', 'Points must be a number', { null: 'POST /api/tasks {"title":"Run","points":null}' }),
  invalid('isDailyRoutine', 'Daily routine must be true or false', {
    null: 'POST /api/tasks {"title":"Run","is_daily_routine":null}',
  }),
  invalid('title', 'Title must not be blank', {
    'the first of faults': (who) => who.createsTask({ title: ' ', points: 0, description: '\0' }),
    'before an unknown template': (who) => who.createsTask({ title: ' ', challengeTemplateId: 0 }),
  }),
  invalid('points', 'Points must be greater than zero', {
    'before an unknown template': (who) => who.createsTask({ points: -1, challengeTemplateId: 0 }),
    'of an unknown task': (who) => who.changesTask({ id: '0' }, { points: 0 }),
    "of another's": (who, { hers }) => who.changesTask({ id: hers }, { points: 0 }),
  }),
  invalid('points', 'Points must be a number', { 'beyond all': createTask('title: "Swim", points: 1e400') }),
  invalid('title', MISFIT, { none: [TASK, { input: {} }], null: [TASK, { input: { title: null } }] }),
  invalid('points', MISFIT, {
    'a text': [TASK, { input: { title: 'Swim', points: '1' } }],
    null: [TASK, { input: { title: 'Swim', points: null } }],
  }),
  invalid('isDailyRoutine', MISFIT, { null: [TASK, { input: { title: 'Swim', isDailyRoutine: null } }] }),
  invalid('first', MISFIT, {
    'a text': ['query ($size: Int) { tasks(first: $size) { totalCount } }', { size: '1' }],
  }),
  invalid('input', MISFIT, { 'no input': [TASK, {}] }),
  invalid('schedule', ONE_KEY, {
    'a plan of nothing': createTask('title: "Swim", schedule: {}'),
    ...each(
      'plan',
      [
        { everyDays: 3, weekdays: ['MONDAY'] },
        { everyDays: 3, timesPer: null },
      ],
      (schedule) => {
        return [TASK, { input: { title: 'Swim', schedule } }];
      },
    ),
  }),
  invalid('section', /^Section must/, {
    ...each('made in', SECTIONS, (section) => [TASK, { input: { title: 'Tea', section } }]),
    ...each('moved to', SECTIONS, (section) => [MOVE, { section }]),
  }),
  invalid(
    'newName',
    /^New name must/,
    each('renamed to', SECTIONS, (name) => [RENAME, { name }]),
  ),
  ofPlan('Schedule must name at least one weekday', 'schedule: { weekdays: [] }'),
  ofPlan(
    'Schedule must be every 1 to 365 days',
    'schedule: { everyDays: 0 }',
    'schedule: { everyDays: 366 }',
  ),
  ofPlan(
    'Schedule can have no everyDay but true: give another kind of schedule instead',
    'schedule: { everyDay: false }',
  ),
  ofPlan('Schedule must be 1 to 7 times a week', 'schedule: { timesPer: { count: 8, period: WEEK } }'),
  ofPlan('Schedule must be 1 to 31 times a month', 'schedule: { timesPer: { count: 32, period: MONTH } }'),
  ofPlan('Target must have an amount, which must be greater than zero', 'target: { amount: 0, unit: "km" }'),
  ofPlan(
    'Target must have an amount, which must be zero or more',
    'target: { amount: -1, unit: "km", kind: AT_MOST }',
  ),
  ofPlan(
    'Target must have an amount, which must have at most three decimals',
    'target: { amount: 1.2345, unit: "km" }',
  ),
  ofPlan('Target must have a unit', 'target: { amount: 1, unit: " " }'),
  ofPlan('Icon must be one character or emoji', 'icon: "ab"'),
  ofPlan('Tags must not name one twice', 'tags: ["a", "A "]'),
  ofPlan('Tags must be at most 8', 'tags: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]'),
  ofPlan(WHOLE, `${OF_WEEK}, schedule: { weekdays: [MONDAY] }`),
  ofPlan(
    WHOLE,
    'target: { amount: 5, unit: "km", kind: AT_MOST, per: MONTH }, schedule: { timesPer: { count: 2, period: WEEK } }',
  ),
  ofPlan(DUE, `${LIMIT}, schedule: { everyDays: 2 }`),
  invalid('schedule', WHOLE, {
    'an interval for a target of a week': update('$far', 'schedule: { everyDays: 2 }'),
  }),
  invalid('target', WHOLE, { 'a target of a week for an interval': update('$third', OF_WEEK) }),
  invalid('schedule', DUE, { 'an interval for a limit': update('$coffee', 'schedule: { everyDays: 2 }') }),
  invalid('target', DUE, { 'a limit for an interval': update('$third', LIMIT) }),
  invalid('challengeTemplateId', NO_LIMIT, { 'for a limit': update('$coffee', 'challengeTemplateId: 1') }),
  invalid('target', NO_LIMIT, { 'a limit': update('$linked', LIMIT) }),
  invalid(undefined, NO_LIMIT, { both: createTask(`title: "Coffee", ${LIMIT}, challengeTemplateId: 1`) }),
  refused({ reason: 'HAS_HISTORY', field: 'target' }, /^A goal cannot become a limit, nor a limit a goal/, {
    'a limit': update('$swim', LIMIT),
    'a goal': update('$coffee', 'target: { amount: 1, unit: "cups" }'),
    'no target': update('$coffee', 'target: null'),
  }),
  refused('LIMIT_REACHED', 'A task can have at most 10 check-in links', {
    'an eleventh': 'createCheckInLink(taskId: $swim, name: "More") { url }',
  }),
];

const completions: Refusal[] = [
  refused('TASK_ARCHIVED', 'This task is archived', {
    completed: (who, { archived }) => who.completes({ id: archived }),
    'completed with a key': (who, { archived }) => who.completes({ id: archived }, 'new'),
    'completed late': 'completeTask(taskId: $archived, at: "2026-11-20T12:00:00Z") { isReplayed }',
  }),
  refused({ reason: 'TOO_LONG_AGO', field: 'at' }, 'A completion can be at most 7 days old', {
    'a millisecond': 'completeTask(taskId: $swim, at: "2026-11-14T11:59:59.999Z") { isReplayed }',
    'years, with a key':
      'completeTask(taskId: $swim, at: "2020-02-29T08:00:00Z", idempotencyKey: "l") { isReplayed }',
  }),
  refused(
    { reason: 'IN_FUTURE', field: 'at' },
    'A completion cannot lie in the future: here it is 2026-11-21T12:00:00.000Z',
    each('at', ['2026-11-21T12:05:00.001Z', '2026-11-22T12:00:00Z'], (at) => {
      return `completeTask(taskId: $swim, at: "${at}") { isReplayed }`;
    }),
  ),
  invalid(undefined, /DateTime/, {
    'no instant': 'completeTask(taskId: $swim, at: "yesterday") { isReplayed }',
  }),
  invalid('input', 'At most 100 completions can be recorded at once', {
    'one more': `completeTasks(input: [${many(101, (i) => `{ taskId: $swim, idempotencyKey: "k${i}" }`)}]) { user { id } }`,
  }),
  refused({ reason: 'KEY_REUSED', field: 'idempotencyKey' }, 'Idempotency key was used for another task', {
    'of a completion': (who, { other }) => who.completes({ id: other }, 'tap'),
  }),
  ...['3', 'null'].map((amount) =>
    refused(
      { reason: 'KEY_REUSED', field: 'idempotencyKey' },
      `Idempotency key was used for this task with another amount: 2, and now ${amount.replace('null', 'none')}`,
      { [amount]: `completeTask(taskId: $swim, amount: ${amount}, idempotencyKey: "tap") { isReplayed }` },
    ),
  ),
  refused(
    { reason: 'KEY_REUSED', field: 'idempotencyKey' },
    'Idempotency key was used to create a task from another input',
    each('with', ['points: 11', 'description: ""', 'isDailyRoutine: true', 'section: "Run"'], (input) =>
      createTask(`title: "Swim", ${input}`, ', idempotencyKey: "made"'),
    ),
  ),
  invalid('idempotencyKey', KEY, {
    ...acts('key', ['', 'x'.repeat(256), 'two words', 'tab\tbed', 'é', '\u00a0'], (key, who, { swim }) =>
      who.completes({ id: swim }, key),
    ),
    ...each('key that no header could carry', ['a\n', '\x7f'], (key) => [COMPLETE, { key }]),
    ...each('key of a task', ['', 'with space', 'été', 'x'.repeat(256)], (key) =>
      createTask('title: "Swim"', `, idempotencyKey: "${key}"`),
    ),
  }),
  refused(
    { reason: 'TOO_LONG_AGO', field: 'id' },
    'A completion can be at most 7 days old to be taken back',
    {
      undone: 'undoCompletion(id: $old) { completionId }',
    },
  ),
  ...(
    [
      ['TOO_LONG_AGO', '2026-11-13', 'A day before 2026-11-14 can no longer be changed'],
      ['IN_FUTURE', '2027-11-23', 'A day can be at most 366 days ahead'],
    ] as const
  ).flatMap(([reason, day, says]) => [
    refused(
      { reason, field: 'date' },
      says,
      each('by', ['skipDay', 'unskipDay'], (name) => `${name}(taskId: $swim, date: "${day}") { date }`),
    ),
    refused({ reason, field: 'from' }, says, {
      paused: `createPause(input: { from: "${day}" }) { pause { id } }`,
    }),
  ]),
  refused(
    { reason: 'PAUSE_OVERLAPS', field: 'from' },
    'There is a pause from 2026-12-01 to 2026-12-10 already',
    each(
      'from',
      ['2026-11-24', '2026-12-10'],
      (from) => `createPause(input: { from: "${from}" }) { pause { id } }`,
    ),
  ),
];

const reading: Refusal[] = [
  ofDays('from', FORMS, 'to: "2026-11-02"', 'from: null, last: null'),
  ofDays('last', FORMS, 'last: 7, to: "2026-11-02"', 'last: 7, from: "2026-11-02", to: "2026-11-04"'),
  ofDays('last', '`last` must be at least 1', 'last: 0'),
  ofDays('from', '`from` must not be after today, unless `to` is given', 'from: "2026-11-22"'),
  ofDays('from', '`from` must not be after `to`', 'from: "2026-11-22", to: "2026-11-21"'),
  invalid('last', 'A calendar has at most 366 days', calendars('last: 1831')),
  ...[
    'from: "2025-11-20", to: "2026-11-21"',
    'from: "2010-01-01"',
    'from: "2026-01-01", to: "2027-01-02"',
    'from: "0001-01-01", to: "9999-12-31"',
  ].map((days) => invalid('to', 'A calendar has at most 366 days', calendars(days))),
  invalid('last', 'Statistics have at most 1,830 days', statistics('last: 1831')),
  invalid('to', 'Statistics have at most 1,830 days', statistics('from: "2010-01-01"')),
  invalid(
    'from',
    NO_DAY,
    each('day', [...NO_DAYS, 20_261_121], (from) => [
      'query ($from: Date!) { me { calendar(from: $from, to: "2026-11-21") { date } } }',
      { from },
    ]),
  ),
  invalid(
    undefined,
    NO_DAY,
    each('day', [...NO_DAYS.map((day) => `"${day}"`), '20261121'], (to) => {
      return `{ me { calendar(from: "2026-11-21", to: ${to}) { date } } }`;
    }),
  ),
  invalid('from', '`from` must not be after `to`', {
    completions: '{ completions(from: "2026-11-13", to: "2026-11-12") { totalCount } }',
  }),
  invalid('after', '`after` must be a cursor of this list, asked for with the same arguments', {
    ...each('tasks of', ['archived: ANY', 'section: "Evening"', 'today: KEPT'], (list) => {
      return `{ tasks(${list}, after: $ofTasks) { nodes { id } } }`;
    }),
    'days of others': '{ completions(from: "2026-11-13", after: $ofDays) { nodes { id } } }',
    'of a task': '{ task(id: $swim) { completions(after: $ofDays) { nodes { id } } } }',
    'no cursor': '{ tasks(after: "nonsense") { nodes { id } } }',
  }),
  over('depth', {
    'tasks of completions of tasks': `{ tasks { nodes { ${BELOW.repeat(3)} completions { nodes { id } } ${'} } } '.repeat(3)} } } }`,
  }),
  over('aliases', { 'of one field': `{ me { ${many(31, (i) => `a${i}: id`)} } }`, 'a bomb': BOMB }),
  over('root fields', {
    'without aliases': `{ ${many(21, () => 'me { id }')} }`,
    'in a fragment': `{ ...all } fragment all on Query { ${many(21, () => 'me { id }')} }`,
    'with aliases': `{ ${many(30, (i) => `a${i}: me { id }`)} }`,
  }),
  over('tokens', { 'a long selection': `{ me { ${many(2_000, () => 'id')} } }` }),
  over('cost', {
    'lists for which all tasks are looked through': `{ ${many(13, (i) => `a${i}: tasks(first: 1, today: OPEN) { nodes { id } }`)} }`,
    'huge lists by literal': `{ tasks(first: 100) ${LISTS} }`,
    'huge lists by variable': [`query ($n: Int) { tasks(first: $n) ${LISTS} }`, { n: 100 }],
    "huge lists by a variable's default": `query ($n: Int = 100) { tasks(first: $n) ${LISTS} }`,
    'days below lists without pages':
      '{ tasks(first: 1) { nodes { pauses { task { statistics(from: "2021-01-01", to: "2025-12-31") { rate } } } } } }',
    'a negative size that would earn credit': `{ tasks(first: 100) ${LISTS} completions(first: -2147483648) { nodes { id } } }`,
    'a year of each task': '{ tasks(first: 100) { nodes { calendar(last: 366) { date } } } }',
  }),
  invalid(undefined, /^Cannot query field "nothing"/, { 'an unknown field': '{ nothing }' }),
  invalid(undefined, /must select only one/, {
    'a subscription to two fields': 'subscription { progressChanged { kind } challengeChanged { id } }',
  }),
  invalid(undefined, /^Syntax Error/, { 'a syntax error': '{' }),
];

export const ofHabits = [tasks, completions, reading].flat();
