import { declaredApi } from '../../src/app.js';
import type { Reason } from '../../src/errors.js';
import { operationsIn } from '../support/api-document.js';
import type { Acting, Given } from '../support/apis.js';
import type { Caller, Ids, Service } from './refusal-scene.js';

/**
 * How something is asked for. A function asks both APIs; a text with a method and a path asks REST; any other text is an
 * operation of GraphQL, or a field of a mutation. In a text, `$swim` is the id of that name.
 */
export type Ask = string | [query: string, variables: Given] | ((who: Acting, ids: Ids) => Promise<unknown>);

/** By what is given. */
type Asks = Record<string, Ask>;

interface Why {
  reason: Reason;
  /** Ana, unless it is somebody else. */
  by?: Caller;
  /** The service that can do all, unless it is another one. */
  at?: Service;
  /** The input at fault, which GraphQL names. */
  field?: string | undefined;
  /** What is exceeded, which GraphQL names. */
  limit?: string;
  /** Of HTTP, where it is not that of the reason. */
  status?: number;
}

type Sentence = string | RegExp | { REST: string; GraphQL: string };

export interface Refusal extends Why {
  says: Sentence;
  asks: Asks;
}

const refused = (why: Reason | Why, says: Sentence, asks: Asks): Refusal => ({
  ...(typeof why === 'string' ? { reason: why } : why),
  ...{ says, asks },
});

/** `field` is the input at fault, which GraphQL names. */
const invalid = (field: string | undefined, says: Sentence, asks: Asks) =>
  refused({ reason: 'INVALID_INPUT', field }, says, asks);

const missing = (what: string, asks: Asks) => refused('NOT_FOUND', `${what} not found`, asks);

const over = (limit: string, asks: Asks) =>
  refused({ reason: 'TOO_COMPLEX', limit }, new RegExp(limit), asks);

/** The same ask with each of several values. */
const each = <Value>(what: string, values: readonly Value[], ask: (value: Value) => Ask): Asks =>
  Object.fromEntries(
    values.map((value, at) => [`${what} ${JSON.stringify(value).slice(0, 40)} (${at + 1})`, ask(value)]),
  );

/** The same action with each of several values. */
const acts = <Value>(
  what: string,
  values: readonly Value[],
  act: (value: Value, who: Acting, ids: Ids) => Promise<unknown>,
) => each(what, values, (value) => (who, ids) => act(value, who, ids));

/** A rule names the field: `New password must …` is about `newPassword`. */
const fieldIn = (rule: string) =>
  (/^(.*?) must/.exec(rule)?.[1] ?? '')
    .replace('Daily', 'Is daily')
    .toLowerCase()
    .replace(/ ([a-z])/g, (_, letter) => letter.toUpperCase());

type Rule = (says: string, ...values: unknown[]) => Refusal;

const rule =
  (...asksFor: ((field: string, value: unknown) => Ask)[]): Rule =>
  (says, ...values) => {
    const field = fieldIn(says);
    const asks = asksFor.map((ask, way) => each(`way ${way}:`, values, (value) => ask(field, value)));
    return invalid(field, says, Object.assign({}, ...asks));
  };

const signingUp = (field: string, value: unknown): Ask => {
  const valid = { name: 'Ana', email: 'new@example.com', password: 'secret1' };
  return (who) => who.signsUp({ ...valid, [field]: value });
};
const changing = (field: string, value: unknown): Ask => {
  return (who) => who.changesProfile({ name: 'Bea', [field]: value });
};
const making = (field: string, value: unknown): Ask => {
  return (who) => who.createsTask({ isDailyRoutine: true, [field]: value });
};
const editing = (field: string, value: unknown): Ask => {
  return (who, { swim }) => who.changesTask({ id: swim }, { title: 'Run', [field]: value });
};

const ofAccount = rule(signingUp, changing);
const ofSignUp = rule(signingUp);
const ofProfile = rule(changing);
const ofTask = rule(making, editing);
const ofTaskChange = rule(editing);

const createTask = (input: string, key = '') => `createTask(input: { ${input} }${key}) { task { id } }`;
const update = (id: string, input: string) => `updateTask(id: ${id}, input: { ${input} }) { task { id } }`;

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

const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

const spelt = (email: string) => [email, email.toUpperCase(), ` ${email}\n`];

const STRANGER = 'User not authenticated';
const NEEDS_SESSION = 'An API token cannot do this: log in, and use the token of that session';
const RIGHT = { password: 'secret1' };
const LOGS_IN: Asks = { 'the right password': (who, { email }) => who.logsIn({ email, ...RIGHT }) };
const EVE = { name: 'Eve', email: 'eve@example.com', ...RIGHT };
const BLANK = 'Name must not be blank';
const KEY = 'Idempotency key must be 1 to 255 visible ASCII characters';
const WHOLE = 'A target of a week or month goes with the schedule of every day';
const LIMIT = 'target: { amount: 2, unit: "cups", kind: AT_MOST }';
const OF_WEEK = 'target: { amount: 5, unit: "km", per: WEEK }';
const NO_LIMIT = 'A limit cannot be part of a challenge';
const DUE = 'A limit must be due every day or on weekdays; it cannot have an interval or a number of times';
const FORMS = 'Give from and to, or from alone for the days up to today, or last for the days that end today';
const DAYS = /^(?!.*HOLIDAY).*MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY\.$/;
const DAY = 'mutation ($day: Weekday!) { updateProfile(input: { weekStartsOn: $day }) { user { id } } }';
const TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const MOVE = 'mutation ($section: String) { moveTask(id: 1, section: $section) { task { id } } }';
const RENAME = 'mutation ($to: String) { renameSection(from: "Evening", to: $to) { tasks } }';
const COMPLETE = 'mutation ($key: String) { completeTask(taskId: 1, idempotencyKey: $key) { replayed } }';
const MISFIT = /^Variable "\$\w+" (got an invalid value|of required type)/;
const ONE_KEY = /Exactly one key must be specified for OneOf type "ScheduleInput"/;
const CHANGES = ['deleteTask', 'archiveTask', 'unarchiveTask', 'moveTask'];
const UNKNOWN = ['88888888', '999999999999', '0', '-1'];
const NO_TEMPLATES = [8_888, 0, -1, 2 ** 53, 1e300];
const SECTIONS = ['', ' ', 'a\nb', 'x'.repeat(31), '\u202e'];
const ENDINGS = ['COMPLETED', 'ABANDONED'] as const;
/** What looks like the id of a row, or like any id, and is none. */
const NO_IDS = [
  ...'0…,+…,-…, …,… ,…\n,…\0,….0,….5,…e0,0x…,…n,…;,…/,"…",[…],0,-1,1e300,１,٣,½,abc,null,NaN,Infinity,{}'.split(
    ',',
  ),
  ..."' or 1=1--,9007199254740991,9007199254740992,9223372036854775807,18446744073709551617, ,\0,😀,../1".split(
    ',',
  ),
  ...['9'.repeat(400), 'x'.repeat(4_000)],
];
const written = (form: string, id: string) => form.replace('…', id);
const byId = (field: string, id: string): Ask => [`mutation ($id: ID!) { ${field} { __typename } }`, { id }];
const BY_ID: Record<string, string[]> = {
  Task: [...CHANGES.map((field) => `${field}(id: $id)`), 'completeTask(taskId: $id)'],
  Completion: ['undoCompletion(id: $id)', 'updateCompletionNote(id: $id)'],
  'Challenge template': ['acceptChallenge(templateId: $id)'],
};
const NO_ROUTES =
  'POST /,GET /nope,GET /api,GET /api/,POST /api,GET /api/nope,GET /api/v1/tasks/me,GET /api/auth/signup,' +
  'GET /api/auth/login,PUT /api/auth/login,POST /api/auth/logout,POST /api/auth/refresh,POST /api/user/profile,' +
  'PATCH /api/user/profile,DELETE /api/user/profile,GET /api/user,GET /api/users,GET /api/tasks,GET /api/tasks/1,' +
  'DELETE /api/tasks/1,PATCH /api/tasks/1,PUT /api/tasks,POST /api/tasks/me,GET /api/task-completions,' +
  'DELETE /api/task-completions/1,POST /api/challenge-templates,PUT /api/challenge-templates/1,GET /api/nowhere,' +
  'DELETE /api/challenge-templates/1,POST /api/user-challenges,GET /api/user-challenges/1,GET /api/constructor,' +
  'DELETE /api/user-challenges/1,PUT /api/user-challenges/active,POST /api/user-challenges/1/complete,' +
  'PUT /api/user-challenges/1/notes/1,GET /api/%ff,GET /api/__proto__';
const BELOW = 'completions { nodes { task { ';
const LISTS = '{ nodes { completions(first: 100) { nodes { id points } } } }';

/** Each fragment spreads the next one twice: written out, 2^40 fields. */
const BOMB = `query { ...f0 } fragment f40 on Query { me { id } } ${many(
  40,
  (i) => `fragment f${i} on Query { a${i}: __typename ...f${i + 1} ...f${i + 1} }`,
)}`;

const asItIs = (asks: string[]) => each('asked:', asks, (ask) => ask);

/** Those of JSON. */
export const operations = operationsIn(declaredApi()).filter(
  ({ endpoint }) => !/account|check-in/.test(endpoint),
);

const routes = (filter: (operation: (typeof operations)[number]) => boolean, id = '1') =>
  operations.filter(filter).map(({ method, address }) => `${method} ${address.replace(/{\w+}/, id)}`);

/** Sends each of these to all routes that take a body. */
const bodies = (...texts: string[]) => {
  const all = routes(({ requestBody }) => requestBody).flatMap((route) =>
    texts.map((text) => `${route} ${text}`),
  );
  return asItIs(all);
};

const forms: Refusal[] = [
  refused({ reason: 'TOKEN_INVALID', by: 'forger' }, STRANGER, {
    ...asItIs(routes(({ security }) => security.length > 0)),
  }),
  ...['%', '%E0%A4%A', '%ff', '%C0%80', '%c3%28', '%ED%A0%80'].map((id) =>
    invalid(undefined, 'The request could not be read', {
      ...asItIs(routes(({ address }) => address.includes('{'), id)),
    }),
  ),
  invalid(undefined, 'The body is not valid JSON', {
    ...bodies('{', 'x', "{'a':1}", '{"a":1,}', '{"a":1}}', '{"a":1', 'undefined', 'NaN'),
  }),
  invalid(undefined, 'The body must be a JSON object', {
    ...bodies('null', '[]', '[{}]', '"text"', '""', '1', 'true', 'false'),
  }),
  refused({ reason: 'INVALID_INPUT', status: 413 }, 'The body is too large', {
    ...bodies(`{"more":"${'x'.repeat(300_000)}"}`),
  }),
  invalid(undefined, 'Password must be text', {
    'a number': 'POST /api/auth/login {"email":"a@b","password":123456}',
  }),
  invalid(undefined, 'Task id must be a whole number', {
    text: 'POST /api/task-completions {"task_id":"1"}',
  }),
  invalid(undefined, 'Template id must be a whole number', {
    'a fraction': 'POST /api/user-challenges/accept {"templateId":1.5}',
  }),
];

const people: Refusal[] = [
  refused({ reason: 'TOKEN_MISSING', by: 'nobody' }, STRANGER, {
    'a profile': (who) => who.profile(),
    'a list of a wrong size': '{ tasks(first: 0) { totalCount } }',
    'a list behind no cursor': '{ tasks(after: "nonsense") { totalCount } }',
    'an id that is none': '{ task(id: "nonsense") { id } }',
    'a task without a title': (who) => who.createsTask({ title: '', points: -1 }),
    'a change to null': (who) => who.changesTask({ id: '0' }, { title: null }),
    'an e-mail address that is none': (who) => who.changesProfile({ email: 'nonsense' }),
    'a key that is none': 'completeTask(taskId: 0, idempotencyKey: "") { replayed }',
    'an unknown challenge': (who) => who.accepts(0),
    'notes with a NUL': (who) => who.notes({ id: '1' }, '\0'),
  }),
  refused({ reason: 'TOKEN_MISSING', by: 'mute' }, STRANGER, { 'an empty header': '{ me { id } }' }),
  refused({ reason: 'TOKEN_INVALID', by: 'forger' }, STRANGER, { 'no token of ours': (who) => who.tasks() }),
  refused({ reason: 'TOKEN_INVALID', by: 'gone' }, STRANGER, {
    "another's task": (who, { hers }) => who.changesTask({ id: hers }, { title: 'Mine' }),
    'completing it': (who, { hers }) => who.completes({ id: hers }),
    'completing it with a key': (who, { hers }) => who.completes({ id: hers }, 'a'),
    'a template': (who) => who.createsTask({ challengeTemplateId: 5 }),
    'an unknown template': (who) => who.accepts(0),
    'to read one': 'GET /api/challenge-templates/0',
    "another's challenge": (who, { herChallenge }) => who.ends({ id: herChallenge }, 'COMPLETED'),
    ...each('a body of', ['{', '{}', '{"title":5}'], (body) => `POST /api/tasks ${body}`),
    'a blank title': createTask('title: " "'),
  }),
  refused({ reason: 'SCOPE_MISSING', by: 'writer' }, NEEDS_SESSION, {
    'a new password': (who) => who.changesProfile({ newPassword: 'another1' }),
    'a new address': (who) => who.changesProfile({ email: 'other@example.com' }),
  }),
  refused({ reason: 'SCOPE_MISSING', by: 'writer' }, 'The API token lacks the scope READ', {
    reading: (who) => who.profile(),
  }),
  refused({ reason: 'INVALID_CREDENTIALS', by: 'nobody' }, 'Invalid email or password', {
    ...acts('with', ['secret1x', 'SECRET1', ''], (password, who, { email }) =>
      who.logsIn({ email, password }),
    ),
    'an unknown address': (who, { email }) => who.logsIn({ email: `x${email}`, ...RIGHT }),
    'no address': (who) => who.logsIn({ email: 'no address', ...RIGHT }),
    'an account that is gone': (who, { goneEmail }) => who.logsIn({ email: goneEmail, ...RIGHT }),
  }),
  refused('INVALID_CREDENTIALS', 'Invalid email or password', {
    'a deletion': 'deleteMyAccount(password: "wrong1") { userId }',
  }),
  refused({ reason: 'EMAIL_TAKEN', field: 'email' }, 'Email already in use', {
    ...acts('as', [0, 1, 2], (i, who, { herEmail }) => who.signsUp({ ...EVE, email: spelt(herEmail)[i] })),
    ...acts('to', [0, 1, 2], (i, who, { herEmail }) => who.changesProfile({ email: spelt(herEmail)[i] })),
  }),
  refused(
    { reason: 'SIGN_UP_CLOSED', by: 'nobody', at: 'closed' },
    'Sign-up is closed here: ask the operator for an account',
    { 'a new person': (who) => who.signsUp(EVE) },
  ),
  refused(
    { reason: 'TOO_MANY_ATTEMPTS', by: 'nobody', at: 'strict' },
    'Too many failed log-ins, try again later',
    LOGS_IN,
  ),
  refused('MAIL_UNAVAILABLE', 'This service sends no mail: ask the operator for a link', {
    'a link': 'requestPasswordReset(email: $email) { requested }',
  }),
  refused(
    { reason: 'RESET_INVALID', field: 'token' },
    'This link is not valid any more: ask for another one',
    {
      'a password': 'resetPassword(token: "x", newPassword: "secret2") { email }',
      'a confirmation': 'confirmEmail(token: "x") { user { id } }',
      'an address': 'undoEmailChange(token: "x") { email }',
    },
  ),
  refused(
    { reason: 'LAST_WAY_IN', by: 'lonely', field: 'id' },
    'This is the only way into your account: set a password first',
    { 'the only log-in': 'disconnectIdentity(id: $identity) { identityId }' },
  ),
  invalid(undefined, 'This service has no provider to log in with', {
    connecting: 'connectIdentity { url }',
  }),
  refused('CHANNEL_UNAVAILABLE', 'This service cannot send that: its operator has not set it up', {
    'another way': 'addChannel(input: { name: "a", apprise: { urls: "tgram://x/y" } }) { channel { id } }',
  }),
  refused(
    { reason: 'OVERLOADED', by: 'nobody', at: 'busy' },
    'Service unavailable, nothing was changed',
    LOGS_IN,
  ),
  refused(
    { reason: 'DATABASE_AWAY', by: 'nobody', at: 'away' },
    'Service unavailable, nothing was changed',
    LOGS_IN,
  ),
  refused({ reason: 'INTERNAL', by: 'nobody', at: 'broken' }, 'Internal server error', LOGS_IN),
];

const accounts: Refusal[] = [
  ofAccount(BLANK, '', ' \n', '\u3000', '\u200b'),
  ofAccount('Name must be at most 200 characters long', 'a'.repeat(201)),
  ofAccount('Name must not contain NUL characters', 'A\0'),
  ofAccount('Name must be well-formed Unicode', '\ud800', '\udfff'),
  ofAccount('Name must not contain control or invisible characters', 'A\u0007na', 'A\u202ena'),
  ofAccount('Email must be an e-mail address', '', 'a', '@b', 'a@', 'a@b@c', 'a b@c'),
  ofAccount('Email must be at most 320 characters long', `${'a'.repeat(319)}@b`),
  ofAccount('Email must not contain control or invisible characters', 'a\u200bna@example.com'),
  ofSignUp('Password must be at least 6 characters long', '', '12345', '🔑'.repeat(5)),
  ofSignUp('Password must be well-formed Unicode', 'secret\ud800'),
  ofProfile('New password must be at least 6 characters long', '', '12345', '🔑'.repeat(5)),
  ofProfile('Name must be text', null),
  ofProfile('Email must be text', null),
  ofProfile('New password must be text', null),
  ofProfile(
    'Profile picture must be an http or https URL',
    ...['', 'a.png', '//x.org/a', 'ftp://x.org/a', 'javascript:alert(1)', 'data:,a', 'http://'],
    ...['http://a b', 'https://x y.org'],
  ),
  ofProfile('Profile picture must be at most 2048 characters long', 'http://x.org/'.padEnd(2_049, 'x')),
  invalid('name', BLANK, {
    'the first of faults': (who) => who.signsUp({ name: ' ', email: 'a', password: '' }),
  }),
  invalid('day', DAYS, { text: [DAY, { day: 'HOLIDAY' }], 'a number': [DAY, { day: 1 }] }),
  invalid(undefined, DAYS, {
    ...each('a week from', ['HOLIDAY', '"MONDAY"', '1'], (day) => DAY.slice(27, -1).replace('$day', day)),
  }),
  invalid('expiresAt', 'Expires at must be in the future', {
    now: 'createApiToken(input: { name: "A", scopes: [READ], expiresAt: "2026-11-21T12:00:00Z" }) { token }',
  }),
  invalid('scopes', /^Scopes must name at least one of READ/, {
    'no scope': 'createApiToken(input: { name: "A", scopes: [] }) { token }',
  }),
  invalid('name', BLANK, { 'a token': 'createApiToken(input: { name: " ", scopes: [READ] }) { token }' }),
];

/** The body is looked at before what it is about. */
const tasks: Refusal[] = [
  ofTask('Title must not be blank', '', '   ', '\n\t', '\u00a0\u3000'),
  ofTask('Title must be at most 500 characters long', 'x'.repeat(501)),
  ofTask('Description must be at most 10000 characters long', 'x'.repeat(10_001)),
  ofTask('Description must be well-formed Unicode', '\ud800'),
  ofTask('Points must be greater than zero', 0, -0, -1, -0.5, -5e-324, -1_000_000_001),
  ofTask('Points must be at most 1000000000', 1_000_000_001, 1_000_000_000.0001),
  ofTask('Points must be a number', null),
  ofTask('Daily routine must be true or false', null),
  ofTaskChange('Title must be text', null),
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
  invalid('points', MISFIT, { 'a text': [TASK, { input: { title: 'Swim', points: '1' } }] }),
  invalid('size', MISFIT, {
    'a text': ['query ($size: Int) { tasks(first: $size) { totalCount } }', { size: '1' }],
  }),
  invalid(undefined, MISFIT, { 'no input': [TASK, {}] }),
  invalid('schedule', ONE_KEY, {
    ...each('plan', [{}, { every: 3, weekdays: ['MONDAY'] }, { every: 3, times: null }], (schedule) => {
      return [TASK, { input: { title: 'Swim', schedule } }];
    }),
  }),
  invalid(undefined, 'OneOf Input Object "ScheduleInput" must specify exactly one key.', {
    'a plan of nothing': createTask('title: "Swim", schedule: {}'),
  }),
  invalid('section', /^Section must/, {
    ...each('made in', SECTIONS, (section) => [TASK, { input: { title: 'Tea', section } }]),
    ...each('moved to', SECTIONS, (section) => [MOVE, { section }]),
  }),
  invalid('to', /^To must/, { ...each('renamed to', SECTIONS, (to) => [RENAME, { to }]) }),
  ofPlan('Schedule must name at least one weekday', 'schedule: { weekdays: [] }'),
  ofPlan('Schedule must be every 2 to 365 days', 'schedule: { every: 1 }'),
  ofPlan('Schedule must be 1 to 7 times a week', 'schedule: { times: { times: 8, per: WEEK } }'),
  ofPlan('Schedule must be 1 to 31 times a month', 'schedule: { times: { times: 32, per: MONTH } }'),
  ofPlan('Target must have an amount, which must be greater than zero', 'target: { amount: 0, unit: "km" }'),
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
    'target: { amount: 5, unit: "km", kind: AT_MOST, per: MONTH }, schedule: { times: { times: 2, per: WEEK } }',
  ),
  ofPlan(DUE, `${LIMIT}, schedule: { every: 2 }`),
  invalid('schedule', WHOLE, {
    'an interval for a target of a week': update('$far', 'schedule: { every: 2 }'),
  }),
  invalid('target', WHOLE, { 'a target of a week for an interval': update('$third', OF_WEEK) }),
  invalid('schedule', DUE, { 'an interval for a limit': update('$coffee', 'schedule: { every: 2 }') }),
  invalid('target', DUE, { 'a limit for an interval': update('$third', LIMIT) }),
  invalid('challengeTemplateId', NO_LIMIT, { 'for a limit': update('$coffee', 'challengeTemplateId: 1') }),
  invalid('target', NO_LIMIT, { 'a limit': update('$linked', LIMIT) }),
  invalid(undefined, NO_LIMIT, { both: createTask(`title: "Coffee", ${LIMIT}, challengeTemplateId: 1`) }),
  refused({ reason: 'HAS_HISTORY', field: 'target' }, /^A goal cannot become a limit, nor a limit a goal/, {
    'a limit': update('$swim', LIMIT),
    'a goal': update('$coffee', 'target: { amount: 1, unit: "cups" }'),
    'no target': update('$coffee', 'target: null'),
  }),
  refused('TOO_MANY', 'A task can have at most 10 check-in links', {
    'an eleventh': 'createCheckInLink(taskId: $swim, name: "More") { url }',
  }),
];

const ownership: Refusal[] = [
  missing('Task', {
    ...acts('completed', UNKNOWN, (id, who) => who.completes({ id })),
    ...acts('completed with a key', UNKNOWN, (id, who) => who.completes({ id }, 'tap')),
    ...each('completed', [2 ** 53, 2 ** 64, 1e300], (id) => `POST /api/task-completions {"task_id":${id}}`),
    ...acts('changed', UNKNOWN, (id, who) => who.changesTask({ id }, { title: 'Run' })),
    ...each('moved behind', ['"0"', '"abc"', '""', '"9007199254740993"', '$hers'], (id) => {
      return `moveTask(id: $swim, after: ${id}) { task { id } }`;
    }),
    'moved behind itself': 'moveTask(id: "abc", after: "abc") { task { id } }',
    'a link for it': 'createCheckInLink(taskId: "x", name: "Fridge") { url }',
  }),
  refused('TASK_OF_ANOTHER', "This task doesn't belong to you", {
    completed: (who, { hers }) => who.completes({ id: hers }),
    'completed with a key': (who, { hers }) => who.completes({ id: hers }, 'tap'),
    changed: (who, { hers }) => who.changesTask({ id: hers }, { title: 'Mine' }),
    ...each('by', CHANGES, (field) => `${field}(id: $hers) { __typename }`),
    'moved behind itself': 'moveTask(id: $hers, after: $hers) { task { id } }',
    skipped: 'skipDay(taskId: $hers, date: "2026-11-21") { date }',
    paused: 'pause(taskId: $hers, from: "2026-11-21") { pause { id } }',
  }),
  missing('Completion', {
    ...each('undone', ['$herDone', '$undone'], (id) => `undoCompletion(id: ${id}) { completionId }`),
  }),
  missing('Pause', {
    'of nobody': 'endPause(id: "17", until: "2026-12-05") { pause { id } }',
    'of another': 'endPause(id: $herPause, until: "2026-12-05") { pause { id } }',
  }),
  missing('API token', {
    ...each('revoked', ['""', '1', '$herToken'], (id) => `revokeApiToken(id: ${id}) { apiToken { id } }`),
  }),
  missing('Check-in link', { 'of another': 'revokeCheckInLink(id: $herLink) { linkId }' }),
  missing('Channel', { none: 'removeChannel(id: 1) { channelId }', tried: 'testChannel(id: 1) { error }' }),
  missing('Identity', { 'of another': 'disconnectIdentity(id: $identity) { identityId }' }),
  ...(['nobody', 'ana'] as const).map((by) =>
    refused({ reason: 'NOT_FOUND', by }, 'Not found', asItIs(NO_ROUTES.split(','))),
  ),
  ...Object.entries(BY_ID).map(([what, fields]) =>
    missing(what, {
      ...Object.assign(
        {},
        ...fields.map((field) =>
          each(field, [...NO_IDS, '', '\ud800'], (id) => byId(field, written(id, '1'))),
        ),
      ),
    }),
  ),
  missing('Task', {
    ...acts('id', NO_IDS, (id, who, { swim }) => who.changesTask({ id: written(id, swim) }, {})),
  }),
  missing('Challenge', {
    ...acts('notes', NO_IDS, (id, who, { active }) => who.notes({ id: written(id, active) }, '')),
    ...acts('end', NO_IDS, (id, who, { active }) => who.ends({ id: written(id, active) }, 'COMPLETED')),
    ...acts('give up', NO_IDS, (id, who, { active }) => who.ends({ id: written(id, active) }, 'ABANDONED')),
  }),
  missing('Challenge template', {
    ...asItIs(NO_IDS.map((id) => `GET /api/challenge-templates/${encodeURIComponent(written(id, '1'))}`)),
    ...each('made with', NO_IDS, (id) => [
      TASK,
      { input: { title: '?', challengeTemplateId: written(id, '1') } },
    ]),
  }),
];

const completions: Refusal[] = [
  refused('TASK_ARCHIVED', 'This task is archived', {
    completed: (who, { archived }) => who.completes({ id: archived }),
    'completed with a key': (who, { archived }) => who.completes({ id: archived }, 'new'),
    'completed late': 'completeTask(taskId: $archived, at: "2026-11-20T12:00:00Z") { replayed }',
  }),
  refused({ reason: 'TOO_LATE', field: 'at' }, 'A completion can be at most 7 days old', {
    'a millisecond': 'completeTask(taskId: $swim, at: "2026-11-14T11:59:59.999Z") { replayed }',
    'years, with a key':
      'completeTask(taskId: $swim, at: "2020-02-29T08:00:00Z", idempotencyKey: "l") { replayed }',
  }),
  refused(
    { reason: 'IN_FUTURE', field: 'at' },
    'A completion cannot lie in the future: here it is 2026-11-21T12:00:00.000Z',
    each('at', ['2026-11-21T12:05:00.001Z', '2026-11-22T12:00:00Z'], (at) => {
      return `completeTask(taskId: $swim, at: "${at}") { replayed }`;
    }),
  ),
  invalid(undefined, /DateTime/, {
    'no instant': 'completeTask(taskId: $swim, at: "yesterday") { replayed }',
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
      { [amount]: `completeTask(taskId: $swim, amount: ${amount}, idempotencyKey: "tap") { replayed }` },
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
  refused({ reason: 'DAY_OVER', field: 'id' }, 'A completion can be at most 7 days old to be taken back', {
    undone: 'undoCompletion(id: $old) { completionId }',
  }),
  ...(
    [
      ['DAY_OVER', '2026-11-13', 'A day before 2026-11-14 can no longer be changed'],
      ['DAY_AHEAD', '2027-11-23', 'A day can be at most 366 days ahead'],
    ] as const
  ).flatMap(([reason, day, says]) => [
    refused({ reason, field: 'date' }, says, {
      ...each('by', ['skipDay', 'unskipDay'], (name) => `${name}(taskId: $swim, date: "${day}") { date }`),
    }),
    refused({ reason, field: 'from' }, says, { paused: `pause(from: "${day}") { pause { id } }` }),
  ]),
  refused({ reason: 'PAUSED', field: 'from' }, 'There is a pause from 2026-12-01 to 2026-12-10 already', {
    ...each('from', ['2026-11-24', '2026-12-10'], (from) => `pause(from: "${from}") { pause { id } }`),
  }),
];

const challenges: Refusal[] = [
  refused(
    'CHALLENGE_ACTIVE',
    { REST: 'Você já possui um desafio ativo', GraphQL: 'You have an active challenge already' },
    each('accepting', [1, 2], (template) => (who) => who.accepts(template)),
  ),
  refused('CHALLENGE_ENDED', 'Challenge is already completed', {
    abandoned: (who, { completed }) => who.ends({ id: completed }, 'ABANDONED'),
  }),
  refused('CHALLENGE_ENDED', 'Challenge is already abandoned', {
    completed: (who, { abandoned }) => who.ends({ id: abandoned }, 'COMPLETED'),
  }),
  refused(
    { reason: 'NO_ACTIVE_CHALLENGE', field: 'challengeTemplateId' },
    "You don't have an active challenge for this template",
    {
      // Never accepted, completed, abandoned, and active for another user.
      ...acts('created with', [7, 2, 3, 5], (id, who) => who.createsTask({ challengeTemplateId: id })),
      ...each('changed to', [7, 2, 3, 5], (id) => update('$swim', `challengeTemplateId: ${id}`)),
    },
  ),
  missing('Challenge template', {
    ...acts('accepting', NO_TEMPLATES, (id, who) => who.accepts(id)),
    ...acts('created with', NO_TEMPLATES, (id, who) => who.createsTask({ challengeTemplateId: id })),
    'changed to': update('$swim', 'challengeTemplateId: 999999'),
  }),
  refused({ reason: 'NOT_FOUND', by: 'lonely' }, 'Challenge template not found', {
    'without a challenge': (who) => who.accepts(8_888),
  }),
  missing('Challenge', {
    'notes of nobody': (who) => who.notes({ id: '88888888' }, 'Mine'),
    'notes of another': (who, { herChallenge }) => who.notes({ id: herChallenge }, 'Mine'),
    ...acts('of nobody', ENDINGS, (ending, who) => who.ends({ id: '88888888' }, ending)),
    ...acts('of another', ENDINGS, (ending, who, { herChallenge }) => who.ends({ id: herChallenge }, ending)),
  }),
  invalid('notes', 'Notes must be at most 10000 characters long', {
    ...acts('notes', ['x', '😀'], (sign, who, { active }) => who.notes({ id: active }, sign.repeat(10_001))),
  }),
  invalid('notes', 'Notes must not contain NUL characters', {
    'a NUL': (who, { active }) => who.notes({ id: active }, '\0'),
  }),
  invalid('notes', 'Notes must be text', {
    'before an unknown challenge': 'PUT /api/user-challenges/0/notes {}',
  }),
];

const reading: Refusal[] = [
  ofDays('from', FORMS, 'to: "2026-11-02"', 'from: null, last: null'),
  ofDays('last', FORMS, 'last: 7, to: "2026-11-02"', 'last: 7, from: "2026-11-02", to: "2026-11-04"'),
  ofDays('last', 'Last must be at least 1', 'last: 0'),
  ofDays('from', 'From must not be after today, unless to is given', 'from: "2026-11-22"'),
  ofDays('from', 'From must not be after to', 'from: "2026-11-22", to: "2026-11-21"'),
  invalid('last', 'A calendar has at most 366 days', calendars('last: 1831')),
  invalid('to', 'A calendar has at most 366 days', calendars('from: "2025-11-20", to: "2026-11-21"')),
  invalid('to', 'A calendar has at most 366 days', calendars('from: "2010-01-01"')),
  invalid('last', 'Statistics have at most 1,830 days', statistics('last: 1831')),
  invalid('to', 'Statistics have at most 1,830 days', statistics('from: "2010-01-01"')),
  invalid('from', 'From must not be after to', {
    completions: '{ completions(from: "2026-11-13", to: "2026-11-12") { totalCount } }',
  }),
  invalid('after', 'After must be a cursor of this list', {
    ...each('tasks of', ['archived: true', 'archived: null', 'section: "Evening"', 'today: KEPT'], (list) => {
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
    "huge lists by the argument's default":
      '{ tasks { nodes { completions { nodes { task { completions { nodes { id } } } } } } } }',
    'lists without pages': '{ tasks(first: 10) { nodes { pauses { task { pauses { id } } } } } }',
    'days below lists without pages':
      '{ tasks(first: 1) { nodes { pauses { task { statistics(from: "2021-01-01", to: "2025-12-31") { rate } } } } } }',
    'a negative size that would earn credit': `{ tasks(first: 100) ${LISTS} completions(first: -2147483648) { nodes { id } } }`,
    'many years': `{ ${many(20, (i) => `y${i}: me { calendar(last: 365) { date completions points streak } }`)} }`,
    'a year of each task': '{ tasks(first: 100) { nodes { calendar(last: 366) { date } } } }',
  }),
  invalid(undefined, /^Cannot query field "nothing"/, { 'an unknown field': '{ nothing }' }),
  invalid(undefined, /must select only one/, {
    'a subscription to two fields': 'subscription { progressChanged { cause } challengeChanged { id } }',
  }),
  invalid(undefined, /operation name/i, {
    'one of two operations': 'query A { me { id } } query B { me { id } }',
  }),
  invalid(undefined, /^Syntax Error/, { 'a syntax error': '{' }),
];

const all = [forms, people, accounts, tasks, ownership, completions, challenges, reading];

export const refusals = all.flat();
