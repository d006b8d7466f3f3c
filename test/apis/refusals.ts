import { declaredApi } from '../../src/app.js';
import { operationsIn } from '../support/api-document.js';
import type { Ask, Asks, Refusal } from './refusal.js';
import {
  acts,
  asItIs,
  CHANGES,
  createTask,
  each,
  invalid,
  missing,
  refused,
  rule,
  TASK,
  update,
} from './refusal.js';
import { ofHabits } from './refusals-of-habits.js';

const signingUp = (field: string, value: unknown): Ask => {
  const valid = { name: 'Ana', email: 'new@example.com', password: 'secret1' };
  return (who) => who.signsUp({ ...valid, [field]: value });
};

const changing = (field: string, value: unknown): Ask => {
  return (who) => who.changesProfile({ name: 'Bea', [field]: value });
};

const ofAccount = rule(signingUp, changing);
const ofSignUp = rule(signingUp);
const ofProfile = rule(changing);

/** GraphQL changes the address by a mutation of its own. */
const ofEmail = (says: string, ...values: string[]) => [
  ofSignUp(`Email ${says}`, ...values),
  invalid(
    'newEmail',
    { REST: `Email ${says}`, GraphQL: `New email ${says}` },
    each('to', values, (value) => changing('email', value)),
  ),
];
const misfit = (field: string) =>
  `Variable "$input" got an invalid value at "input.${field}": Expected non-nullable type "String!" not to be null.`;

const spelt = (email: string) => [email, email.toUpperCase(), ` ${email}\n`];
const STRANGER = 'User not authenticated';
const WITHOUT_TOKEN = {
  REST: STRANGER,
  GraphQL:
    /^User not authenticated: send (the header Authorization: Bearer TOKEN|connectionParams { authorization: 'Bearer TOKEN' })$/,
};
const WITH_NONE_OF_OURS = {
  REST: STRANGER,
  GraphQL: /^User not authenticated(: the token is not valid any more, so get another by logIn)?$/, // shorter in a closing frame
};
const NEEDS_SESSION = 'An API token cannot do this: log in, and use the token of that session';
const RIGHT = { password: 'secret1' };
const LOGS_IN: Asks = { 'the right password': (who, { email }) => who.logsIn({ email, ...RIGHT }) };
const EVE = { name: 'Eve', email: 'eve@example.com', ...RIGHT };
const BLANK = 'Name must not be blank';
const DAYS = /^(?!.*HOLIDAY).*MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY\.$/;
const DAY = 'mutation ($day: Weekday!) { updateProfile(input: { weekStartsOn: $day }) { user { id } } }';
const UNKNOWN = ['88888888', '999999999999', '0', '-1'];
const NO_TEMPLATES = [8_888, 0, -1, 2 ** 53, 1e300];
const ENDINGS = ['COMPLETED', 'ABANDONED'] as const;

/** What looks like the id of a row, or like any id, and is none. */
const NO_IDS = [
  ...'0…,+…, …,…\n,…\0,….0,…e0,0x…,…n,0,-1,１,NaN,../1'.split(','),
  ...['9007199254740993', '9223372036854775808', '9'.repeat(400)],
];
const written = (form: string, id: string) => form.replace('…', id);
const byId = (field: string, id: string): Ask => [`mutation ($id: ID!) { ${field} { __typename } }`, { id }];

const BY_ID: Record<string, string[]> = {
  Task: [...CHANGES.map((field) => `${field}(id: $id)`), 'completeTask(taskId: $id)'],
  Completion: ['undoCompletion(id: $id)', 'updateCompletionNote(id: $id, note: null)'],
  'Challenge template': ['acceptChallenge(templateId: $id)'],
};

const NO_ROUTES =
  'POST /,GET /nope,GET /api,POST /api,GET /api/v1/tasks/me,POST /api/auth/logout,GET /api/user,' +
  'DELETE /api/task-completions/1,GET /api/user-challenges/1,PUT /api/user-challenges/1/notes/1,' +
  'GET /api/constructor,GET /api/%ff,GET /api/__proto__';

/** Of addresses that are there. */
const NO_METHODS =
  'GET /api/auth/signup,PUT /api/auth/login,POST /api/user/profile,GET /api/tasks,DELETE /api/tasks/1,' +
  'PATCH /api/tasks/1,DELETE /api/tasks/me,GET /api/task-completions,DELETE /api/challenge-templates/1,' +
  'PUT /api/user-challenges/active,POST /api/user-challenges/1/complete';

/** Those of JSON. */
export const operations = operationsIn(declaredApi()).filter(
  ({ endpoint }) => !/account|check-in/.test(endpoint),
);

const routes = (filter: (operation: (typeof operations)[number]) => boolean, id = '1') =>
  operations.filter(filter).map(({ method, address }) => `${method} ${address.replace(/{\w+}/, id)}`);

const guarded = routes(({ security }) => security.length > 0);

/** Sends each of these to all routes that take a body. */
const bodies = (...texts: string[]) => {
  const all = routes(({ requestBody }) => requestBody).flatMap((route) =>
    texts.map((text) => `${route} ${text}`),
  );
  return asItIs(all);
};

const forms: Refusal[] = [
  ...(['forger', 'gone'] as const).map((by) =>
    refused({ reason: 'TOKEN_INVALID', by }, STRANGER, asItIs(guarded)),
  ),
  // Before anybody looks at the body.
  refused(
    { reason: 'TOKEN_MISSING', by: 'nobody' },
    STRANGER,
    asItIs(
      guarded
        .filter((route) => !route.startsWith('GET'))
        .flatMap((route) => ['{', 'x'.repeat(1_000_000)].map((text) => `${route} ${text}`)),
    ),
  ),
  ...['%', '%ff', '%ED%A0%80'].map((id) =>
    invalid(
      undefined,
      'The request could not be read',
      asItIs(routes(({ address }) => address.includes('{'), id)),
    ),
  ),
  invalid(undefined, 'The body is not valid JSON', bodies('{', '{"a":1}}', 'NaN')),
  invalid(undefined, 'The body must be a JSON object', bodies('null', '[{}]', '"text"', '1')),
  refused(
    { reason: 'INVALID_INPUT', status: 413 },
    'The body is too large',
    bodies(`{"more":"${'x'.repeat(300_000)}"}`),
  ),
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
  refused({ reason: 'TOKEN_MISSING', by: 'nobody' }, WITHOUT_TOKEN, {
    'a profile': (who) => who.profile(),
    'a list of a wrong size': '{ tasks(first: 0) { totalCount } }',
    'a list behind no cursor': '{ tasks(after: "nonsense") { totalCount } }',
    'an id that is none': '{ task(id: "nonsense") { id } }',
    'a task without a title': (who) => who.createsTask({ title: '', points: -1 }),
    'a change to null': (who) => who.changesTask({ id: '0' }, { title: null }),
    'an e-mail address that is none': (who) => who.changesProfile({ email: 'nonsense' }),
    'a key that is none': 'completeTask(taskId: 0, idempotencyKey: "") { isReplayed }',
    'an unknown challenge': (who) => who.accepts(0),
    'notes with a NUL': (who) => who.notes({ id: '1' }, '\0'),
  }),
  refused({ reason: 'TOKEN_MISSING', by: 'mute' }, WITHOUT_TOKEN, { 'an empty header': '{ me { id } }' }),
  refused({ reason: 'TOKEN_INVALID', by: 'forger' }, WITH_NONE_OF_OURS, {
    'no token of ours': (who) => who.tasks(),
  }),
  refused({ reason: 'TOKEN_INVALID', by: 'gone' }, WITH_NONE_OF_OURS, {
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
  refused('ACCOUNT_SUSPENDED', 'This account is suspended: ask the operator of this service', {
    'the right password': (who, { suspendedEmail }) => who.logsIn({ email: suspendedEmail, ...RIGHT }),
  }),
  refused({ reason: 'INVALID_CREDENTIALS', field: 'password' }, 'Password is wrong', {
    'a deletion': 'deleteMyAccount(password: "wrong1") { deletedId }',
  }),
  refused({ reason: 'INVALID_CREDENTIALS', field: 'currentPassword' }, 'Current password is wrong', {
    'a new password':
      'changePassword(input: { currentPassword: "wrong1", newPassword: "another1" }) { user { id } }',
    'a new address':
      'changeEmail(input: { currentPassword: "wrong1", newEmail: "new@example.com" }) { user { id } }',
  }),
  // Before the right password of anybody is given, which forgives what failed.
  refused(
    { reason: 'TOO_MANY_ATTEMPTS', by: 'nobody', at: 'strict' },
    'Too many failed log-ins, try again later',
    LOGS_IN,
  ),
  refused(
    { reason: 'EMAIL_TAKEN', field: 'email' },
    'Email already in use',
    acts('as', [0, 1, 2], (i, who, { herEmail }) => who.signsUp({ ...EVE, email: spelt(herEmail)[i] })),
  ),
  refused(
    { reason: 'EMAIL_TAKEN', field: 'newEmail' },
    'Email already in use',
    acts('to', [0, 1, 2], (i, who, { herEmail }) => who.changesProfile({ email: spelt(herEmail)[i] })),
  ),
  refused(
    { reason: 'SIGN_UP_CLOSED', by: 'nobody', at: 'closed' },
    'Sign-up is closed here: ask the operator for an account',
    { 'a new person': (who) => who.signsUp(EVE) },
  ),
  refused('MAIL_UNAVAILABLE', 'This service sends no mail: ask the operator for a link', {
    'a link': 'requestPasswordReset(email: $email) { requested }',
  }),
  refused('MAIL_UNAVAILABLE', 'This service sends no mail, so no address can be confirmed', {
    'a confirmation': 'requestEmailConfirmation { requested }',
  }),
  refused(
    { reason: 'LINK_INVALID', field: 'token' },
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
    { 'the only log-in': 'deleteIdentity(id: $identity) { deletedId }' },
  ),
  refused('PROVIDER_UNAVAILABLE', 'This service has no provider to log in with', {
    connecting: 'connectIdentity { url }',
    'coming back': 'exchangeLogIn(code: "x") { token }',
  }),
  refused(
    'ACCOUNT_NOT_EMPTY',
    'The account has tasks already: send the file with ?into=existing, or import it into an account without any',
    {
      'a file': 'POST /account/import {}',
    },
  ),
  refused({ reason: 'FEED_OFF', by: 'lonely' }, 'Your account keeps no events: turn its feed on first', {
    'its events': '{ events { totalCount } }',
  }),
  refused({ reason: 'FEED_TRUNCATED', field: 'after' }, 'What follows is not known any more: begin again', {
    'those after a later one': '{ events(after: "7000") { totalCount } }',
  }),
  refused({ reason: 'ADDRESS_REFUSED', field: 'url' }, 'The service sends nothing to this address', {
    'a private one': 'createWebhook(input: { url: "https://10.0.0.1", name: "a" }) { secret }',
  }),
  refused({ reason: 'HAS_WEBHOOKS', field: 'eventFeed' }, 'The feed feeds webhooks: delete them first', {
    'turned off': 'updateProfile(input: { eventFeed: false }) { user { id } }',
  }),
  refused({ reason: 'WEBHOOKS_OFF', at: 'strict' }, 'The operator of this service allows no webhooks', {
    'one of them': 'createWebhook(input: { url: "https://example.com", name: "a" }) { secret }',
  }),
  refused('CHANNEL_UNAVAILABLE', 'This service cannot send that: its operator has not set it up', {
    'another way':
      'addChannel(input: { name: "a", receiver: { apprise: { urls: "tgram://x/y" } } }) { channel { id } }',
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
  refused(
    { reason: 'DATABASE_FULL', by: 'nobody', at: 'full' },
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
  ...ofEmail('must be an e-mail address', '', 'a', '@b', 'a@', 'a@b@c', 'a b@c'),
  ...ofEmail('must be at most 320 characters long', `${'a'.repeat(319)}@b`),
  ...ofEmail('must not contain control or invisible characters', 'a\u200bna@example.com'),
  ofSignUp('Password must be at least 6 characters long', '', '12345', '🔑'.repeat(5)),
  ofSignUp('Password must be well-formed Unicode', 'secret\ud800'),
  ofProfile('New password must be at least 6 characters long', '', '12345', '🔑'.repeat(5)),
  invalid(
    'name',
    { REST: 'Name must be text', GraphQL: 'Name cannot be null: leave it out to keep it' },
    { 'a name of null': (who) => who.changesProfile({ name: null }) },
  ),
  ...['timeZone', 'dayStartsAt', 'weekStartsOn'].map((field) =>
    invalid(field, /cannot be null: leave it out to keep it$/, {
      'changed to null': `updateProfile(input: { ${field}: null }) { user { id } }`,
    }),
  ),
  invalid(
    'newEmail',
    { REST: 'Email must be text', GraphQL: misfit('newEmail') },
    {
      'an address of null': (who) => who.changesProfile({ email: null }),
    },
  ),
  invalid(
    'newPassword',
    { REST: 'New password must be text', GraphQL: misfit('newPassword') },
    {
      'a password of null': (who) => who.changesProfile({ newPassword: null }),
    },
  ),
  invalid('password', 'Password must be given', { 'a deletion': 'deleteMyAccount { deletedId }' }),
  invalid('currentPassword', 'Current password must be given', {
    'a new password': 'changePassword(input: { newPassword: "another1" }) { user { id } }',
    'a new address': 'changeEmail(input: { newEmail: "new@example.com" }) { user { id } }',
  }),
  ofProfile(
    'Profile picture must be an http or https URL',
    ...['', 'a.png', '//x.org/a', 'ftp://x.org/a', 'javascript:alert(1)', 'data:,a', 'http://'],
    ...['http://a b', 'https://x y.org'],
  ),
  ofProfile('Profile picture must be at most 2048 characters long', 'http://x.org/'.padEnd(2_049, 'x')),
  invalid('name', BLANK, {
    'the first of faults': (who) => who.signsUp({ name: ' ', email: 'a', password: '' }),
  }),
  invalid('weekStartsOn', DAYS, { text: [DAY, { day: 'HOLIDAY' }], 'a number': [DAY, { day: 1 }] }),
  invalid(
    'weekStartsOn',
    DAYS,
    each('a week from', ['HOLIDAY', '"MONDAY"', '1'], (day) => DAY.slice(27, -1).replace('$day', day)),
  ),
  invalid('expiresAt', 'Expires at must be in the future', {
    now: 'createApiToken(input: { name: "A", scopes: [READ], expiresAt: "2026-11-21T12:00:00Z" }) { token }',
  }),
  invalid('scopes', /^Scopes must name at least one of READ/, {
    'no scope': 'createApiToken(input: { name: "A", scopes: [] }) { token }',
  }),
  invalid('name', BLANK, { 'a token': 'createApiToken(input: { name: " ", scopes: [READ] }) { token }' }),
];

const ownership: Refusal[] = [
  missing('Task', {
    ...acts('completed', UNKNOWN, (id, who) => who.completes({ id })),
    ...acts('completed with a key', UNKNOWN, (id, who) => who.completes({ id }, 'tap')),
    ...each('completed', [2 ** 53, 2 ** 64, 1e300], (id) => `POST /api/task-completions {"task_id":${id}}`),
    ...acts('changed', UNKNOWN, (id, who) => who.changesTask({ id }, { title: 'Run' })),
    'moved behind itself': 'moveTask(id: "abc", behindTaskId: "abc") { task { id } }',
  }),
  refused(
    { reason: 'NOT_FOUND', field: 'behindTaskId' },
    'Task not found',
    each('moved behind', ['"0"', '"abc"', '""', '"9007199254740993"', '$hers'], (id) => {
      return `moveTask(id: $swim, behindTaskId: ${id}) { task { id } }`;
    }),
  ),
  refused({ reason: 'NOT_FOUND', field: 'taskId' }, 'Task not found', {
    'a link for it': 'createCheckInLink(taskId: "x", name: "Fridge") { url }',
    completed: 'completeTask(taskId: "x") { isReplayed }',
    skipped: 'skipDay(taskId: "x", date: "2026-11-21") { date }',
    paused: 'createPause(input: { taskId: $hers, from: "2026-11-21" }) { pause { id } }',
  }),
  refused({ reason: 'NOT_FOUND', field: 'challengeTemplateId' }, 'Challenge template not found', {
    'a new task': createTask('title: "Run", challengeTemplateId: 8888'),
    'a task': update('$swim', 'challengeTemplateId: 8888'),
  }),
  refused(
    'TASK_OF_ANOTHER',
    { REST: "This task doesn't belong to you", GraphQL: 'Task not found' },
    {
      completed: (who, { hers }) => who.completes({ id: hers }),
      'completed with a key': (who, { hers }) => who.completes({ id: hers }, 'tap'),
      changed: (who, { hers }) => who.changesTask({ id: hers }, { title: 'Mine' }),
      ...each('by', CHANGES, (field) => `${field}(id: $hers) { __typename }`),
      'moved behind itself': 'moveTask(id: $hers, behindTaskId: $hers) { task { id } }',
      skipped: 'skipDay(taskId: $hers, date: "2026-11-21") { date }',
      paused: 'createPause(input: { taskId: $hers, from: "2026-11-21" }) { pause { id } }',
    },
  ),
  missing(
    'Completion',
    each('undone', ['$herDone', '$undone'], (id) => `undoCompletion(id: ${id}) { completionId }`),
  ),
  missing('Pause', {
    'of nobody': 'updatePause(id: "17", input: { until: "2026-12-05" }) { pause { id } }',
    'of another': 'updatePause(id: $herPause, input: { until: "2026-12-05" }) { pause { id } }',
    ...each('deleted', ['"17"', '$herPause'], (id) => `deletePause(id: ${id}) { deletedId }`),
  }),
  missing(
    'API token',
    each('revoked', ['""', '1', '$herToken'], (id) => `deleteApiToken(id: ${id}) { deletedId }`),
  ),
  missing('Check-in link', { 'of another': 'deleteCheckInLink(id: $herLink) { deletedId }' }),
  missing('Calendar', { 'of another': 'deleteCalendarFeed(id: $herCalendar) { deletedId }' }),
  missing('Channel', { none: 'deleteChannel(id: 1) { deletedId }', tried: 'testChannel(id: 1) { error }' }),
  missing('Identity', { 'of another': 'deleteIdentity(id: $identity) { deletedId }' }),
  refused({ reason: 'NOT_FOUND', by: 'nobody' }, 'Not found', asItIs(NO_ROUTES.split(','))),
  refused(
    { reason: 'INVALID_INPUT', status: 405, by: 'nobody' },
    /^Use [A-Z]+( or [A-Z]+)* here$/,
    asItIs(NO_METHODS.split(',')),
  ),
  ...Object.entries(BY_ID).map(([what, fields]) =>
    missing(
      what,
      Object.assign(
        {},
        ...fields.map((field) =>
          each(field, [...NO_IDS, '', '\ud800'], (id) => byId(field, written(id, '1'))),
        ),
      ),
    ),
  ),
  missing(
    'Task',
    acts('id', NO_IDS, (id, who, { swim }) => who.changesTask({ id: written(id, swim) }, {})),
  ),
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
  invalid(
    'notes',
    'Notes must be at most 10000 characters long',
    acts('notes', ['x', '😀'], (sign, who, { active }) => who.notes({ id: active }, sign.repeat(10_001))),
  ),
  invalid('notes', 'Notes must not contain NUL characters', {
    'a NUL': (who, { active }) => who.notes({ id: active }, '\0'),
  }),
  invalid('notes', 'Notes must be text', {
    'before an unknown challenge': 'PUT /api/user-challenges/0/notes {"notes":null}',
  }),
  invalid('notes', /^Notes (is|are) missing: send notes$/, {
    'before an unknown challenge': 'PUT /api/user-challenges/0/notes {}',
  }),
];

export const tables = { forms, people, accounts, ownership, challenges, ofHabits };
