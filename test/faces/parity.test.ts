import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { type Answer, TestUser, world } from '../support/world.js';

const SIGN_UP = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';
const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
const UPDATE_PROFILE =
  'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
const CREATE_TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const UPDATE_TASK =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { task { id } } }';
const COMPLETE_TASK =
  'mutation ($id: ID!, $key: String) { completeTask(taskId: $id, idempotencyKey: $key) { replayed } }';
const ACCEPT = 'mutation ($id: ID!) { acceptChallenge(templateId: $id) { challenge { id } } }';
const NOTE =
  'mutation ($id: ID!, $notes: String!) { updateChallengeNotes(id: $id, notes: $notes) { challenge { id } } }';
const ALL = `{
  me { id name email profilePicture points currentStreak maxStreak createdAt updatedAt }
  tasks { nodes { id title description points isDailyRoutine createdAt updatedAt completionCount } }
  challenges { nodes { id status startDate completedAt notes createdAt updatedAt template { id title durationDays } } }
  challengeTemplates { id title description durationDays createdAt updatedAt }
}`;
const COMPLETE = 'mutation ($id: ID!) { completeChallenge(id: $id) { challenge { id } } }';
const ABANDON = 'mutation ($id: ID!) { abandonChallenge(id: $id) { challenge { id } } }';

/** What a request may be refused for: two users, their tasks, and challenges in every status. */
async function scene() {
  const { base, clock, database, newUser } = await world();
  const [ana, bea] = [await newUser(), await newUser()];
  const [own, other, foreign] = [await ana.hasTask(), await ana.hasTask(), await bea.hasTask()];
  await ana.completes(own, { 'Idempotency-Key': 'used' });
  const completed = await ana.hasAccepted(1);
  await ana.rest.put(`/api/user-challenges/${completed.id}/complete`);
  const abandoned = await ana.hasAccepted(2);
  await ana.rest.put(`/api/user-challenges/${abandoned.id}/abandon`);
  const active = await ana.hasAccepted(3);
  const beas = await bea.hasAccepted(3);
  const as = (token: string) => new TestUser(base, token, ana.account);
  return { ana, bea, as, clock, database, own, other, foreign, completed, abandoned, active, beas };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** The same request over one face and over the other, by `user`, or by Ana. */
interface Refused {
  rest: (user: TestUser, scene: Scene) => Promise<Answer>;
  graphql: (user: TestUser, scene: Scene) => Promise<unknown>;
  user?: (scene: Scene) => TestUser | Promise<TestUser>;
}

const profile: Pick<Refused, 'rest' | 'graphql'> = {
  rest: ({ rest }) => rest.get('/api/user/profile'),
  graphql: ({ graphql }) => graphql.request('{ me { id } }'),
};
const logIn = (email: (scene: Scene) => string, password: string): Refused => ({
  rest: ({ rest }, at) => rest.post('/api/auth/login', { email: email(at), password }),
  graphql: ({ graphql }, at) => graphql.request(LOG_IN, { input: { email: email(at), password } }),
});
const signUp = (input: (scene: Scene) => object): Refused => ({
  rest: ({ rest }, at) => rest.post('/api/auth/signup', input(at)),
  graphql: ({ graphql }, at) => graphql.request(SIGN_UP, { input: input(at) }),
});
const updateProfile = (input: (scene: Scene) => object, inRest = input): Refused => ({
  rest: ({ rest }, at) => rest.put('/api/user/profile', inRest(at)),
  graphql: ({ graphql }, at) => graphql.request(UPDATE_PROFILE, { input: input(at) }),
});
const createTask = (input: object, inRest = input): Refused => ({
  rest: ({ rest }) => rest.post('/api/tasks', { title: 'Swim', ...inRest }),
  graphql: ({ graphql }) => graphql.request(CREATE_TASK, { input: { title: 'Swim', ...input } }),
});
const updateTask = (id: (scene: Scene) => unknown, input: object, inRest = input): Refused => ({
  rest: ({ rest }, at) => rest.put(`/api/tasks/${id(at)}`, inRest),
  graphql: ({ graphql }, at) => graphql.request(UPDATE_TASK, { id: id(at), input }),
});
const completeTask = (id: (scene: Scene) => number, key?: string): Refused => ({
  rest: (user, at) => user.completes({ id: id(at) }, key === undefined ? {} : { 'Idempotency-Key': key }),
  graphql: ({ graphql }, at) => graphql.request(COMPLETE_TASK, { id: id(at), key }),
});
const accept = (templateId: number): Refused => ({
  rest: ({ rest }) => rest.post('/api/user-challenges/accept', { templateId }),
  graphql: ({ graphql }) => graphql.request(ACCEPT, { id: templateId }),
});
const note = (id: (scene: Scene) => unknown, notes: string): Refused => ({
  rest: ({ rest }, at) => rest.put(`/api/user-challenges/${id(at)}/notes`, { notes }),
  graphql: ({ graphql }, at) => graphql.request(NOTE, { id: id(at), notes }),
});
const end = (how: 'complete' | 'abandon', id: (scene: Scene) => unknown): Refused => ({
  rest: ({ rest }, at) => rest.put(`/api/user-challenges/${id(at)}/${how}`),
  graphql: ({ graphql }, at) => graphql.request(how === 'complete' ? COMPLETE : ABANDON, { id: id(at) }),
});

const sameAsBea = ({ bea: { account } }: Scene) => ({
  name: 'Bea',
  email: account.email,
  password: 'secret1',
});
const noToken = ({ as }: Scene) => as('');
const badToken = ({ as, ana }: Scene) => as(`${ana.token}x`);
const expired = ({ ana, clock }: Scene) => {
  clock.advance({ days: 30 });
  return ana;
};
const gone = async ({ ana, database }: Scene) => {
  await sql`delete from users where id = ${ana.id}`.execute(database.query());
  return ana;
};
const unknown = () => 999_999_999_999;
const own = ({ own: { id } }: Scene) => id;
const foreign = ({ foreign: { id } }: Scene) => id;
const beas = ({ beas: { id } }: Scene) => id;
const active = ({ active: { id } }: Scene) => id;

const codes = { 400: 'BAD_USER_INPUT', 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND' };
type Row = [what: string, status: keyof typeof codes, message: string, refused: Refused, field?: string];

const refusals: Row[] = [
  ['no token', 401, 'User not authenticated', { ...profile, user: noToken }],
  ['a token that is no good', 401, 'User not authenticated', { ...profile, user: badToken }],
  ['an expired token', 401, 'User not authenticated', { ...profile, user: expired }],
  ['a token of nobody', 401, 'User not authenticated', { ...profile, user: gone }],
  [
    'no token, before all else',
    401,
    'User not authenticated',
    { ...createTask({ points: 0 }), user: noToken },
  ],
  [
    'a wrong password',
    401,
    'Invalid email or password',
    logIn(({ ana }) => ana.account.email, 'wrong password'),
  ],
  [
    'an unknown e-mail address',
    401,
    'Invalid email or password',
    logIn(() => 'nobody@example.com', 'secret1'),
  ],
  ['a taken e-mail address at sign-up', 400, 'Email already in use', signUp(sameAsBea), 'email'],
  [
    'a taken e-mail address in the profile',
    400,
    'Email already in use',
    updateProfile(({ bea }) => ({ email: bea.account.email.toUpperCase() })),
    'email',
  ],
  ['an unknown task to update', 404, 'Task not found', updateTask(unknown, {})],
  ['a malformed task id to update', 404, 'Task not found', updateTask(() => 'abc', { title: 'Run' })],
  ['a task id too large', 404, 'Task not found', updateTask(() => '9007199254740993', {})],
  ['an unknown task to complete', 404, 'Task not found', completeTask(unknown)],
  ["another's task to update", 400, "This task doesn't belong to you", updateTask(foreign, { title: 'Run' })],
  ["another's task to complete", 400, "This task doesn't belong to you", completeTask(foreign)],
  [
    'a key of another task',
    400,
    'Idempotency key was used for another task',
    completeTask(({ other }) => other.id, 'used'),
    'idempotencyKey',
  ],
  [
    'an unknown template for a task',
    404,
    'Challenge template not found',
    createTask({ challengeTemplateId: 999 }, { challenge_template_id: 999 }),
  ],
  [
    'a template without an ACTIVE challenge',
    400,
    "You don't have an active challenge for this template",
    createTask({ challengeTemplateId: 1 }, { challenge_template_id: 1 }),
    'challengeTemplateId',
  ],
  ['an unknown template to accept', 404, 'Challenge template not found', accept(999)],
  ['a second ACTIVE challenge', 400, 'Você já possui um desafio ativo', accept(4)],
  ['notes on an unknown challenge', 404, 'Challenge not found', note(unknown, 'Day 1')],
  ["notes on another's challenge", 404, 'Challenge not found', note(beas, 'Day 1')],
  ['an unknown challenge to complete', 404, 'Challenge not found', end('complete', unknown)],
  ['a malformed challenge id', 404, 'Challenge not found', end('complete', () => '1e0')],
  ["another's challenge to complete", 404, 'Challenge not found', end('complete', beas)],
  ['an unknown challenge to abandon', 404, 'Challenge not found', end('abandon', unknown)],
  ["another's challenge to abandon", 404, 'Challenge not found', end('abandon', beas)],
  [
    'completing what is abandoned',
    400,
    'Challenge is already abandoned',
    end('complete', (at) => at.abandoned.id),
  ],
  [
    'abandoning what is completed',
    400,
    'Challenge is already completed',
    end('abandon', (at) => at.completed.id),
  ],
];

const account = (given: object) =>
  signUp(() => ({ name: 'Ana', email: 'a@b', password: 'secret1', ...given }));
const ofProfile = (given: object, inRest = given) =>
  updateProfile(
    () => given,
    () => inRest,
  );
const picture = (url: string) => ofProfile({ profilePicture: url }, { profile_picture: url });
const ofTask = (given: object, inRest = given) => updateTask(own, given, inRest);

/** Lengths, forms and nulls: refused by the one gate, before anything is looked up. */
const faults: [field: string, message: string, refused: Refused[]][] = [
  [
    'name',
    'Name must not be blank',
    [account({ name: '' }), account({ name: ' \n' }), ofProfile({ name: '\t' })],
  ],
  ['name', 'Name must be at most 200 characters long', [account({ name: 'a'.repeat(201) })]],
  ['name', 'Name must not contain NUL characters', [account({ name: 'A\0' }), ofProfile({ name: 'A\0' })]],
  ['name', 'Name must be well-formed Unicode', [account({ name: '\ud800' }), ofProfile({ name: '\udfff' })]],
  ['name', 'Name must be text', [ofProfile({ name: null })]],
  [
    'email',
    'Email must be an e-mail address',
    ['', 'a', '@b', 'a@', 'a@b@c', 'a b@c'].map((email) => account({ email })),
  ],
  ['email', 'Email must be an e-mail address', [ofProfile({ email: 'ana' })]],
  ['email', 'Email must be at most 320 characters long', [account({ email: `${'a'.repeat(319)}@b` })]],
  ['email', 'Email must be text', [ofProfile({ email: null })]],
  ['email', 'Email must not contain NUL characters', [{ ...logIn(() => 'a\0@b', 'secret1') }]],
  ['password', 'Password must be at least 6 characters long', [account({ password: '🔑🔑🔑🔑🔑' })]],
  ['password', 'Password must be well-formed Unicode', [account({ password: 'secret\ud800' })]],
  ['newPassword', 'New password must be at least 6 characters long', [ofProfile({ newPassword: '12345' })]],
  ['newPassword', 'New password must be text', [ofProfile({ newPassword: null })]],
  [
    'profilePicture',
    'Profile picture must be an http or https URL',
    ['', 'ana.png', '//a.b/c', 'ftp://a.b', 'javascript:alert(1)', 'http://', 'http://a b'].map(picture),
  ],
  [
    'profilePicture',
    'Profile picture must be at most 2048 characters long',
    [picture(`https://a.b/${'c'.repeat(2_048)}`)],
  ],
  [
    'title',
    'Title must not be blank',
    [createTask({ title: '' }), createTask({ title: ' ' }), ofTask({ title: '\n' })],
  ],
  ['title', 'Title must be at most 500 characters long', [createTask({ title: '🏊'.repeat(501) })]],
  ['title', 'Title must not contain NUL characters', [createTask({ title: '\0' }), ofTask({ title: '\0' })]],
  ['title', 'Title must be text', [ofTask({ title: null })]],
  [
    'description',
    'Description must be at most 10000 characters long',
    [createTask({ description: 'a'.repeat(10_001) })],
  ],
  ['description', 'Description must be well-formed Unicode', [ofTask({ description: '\ud800' })]],
  ['points', 'Points must be greater than zero', [0, -1, -0.001].map((points) => createTask({ points }))],
  ['points', 'Points must be greater than zero', [ofTask({ points: 0 }), ofTask({ points: -1e300 })]],
  [
    'points',
    'Points must be at most 1000000000',
    [createTask({ points: 1e9 + 0.5 }), ofTask({ points: 1e300 })],
  ],
  ['points', 'Points must be a number', [createTask({ points: null }), ofTask({ points: null })]],
  [
    'isDailyRoutine',
    'Daily routine must be true or false',
    [createTask, ofTask].map((task) => task({ isDailyRoutine: null }, { is_daily_routine: null })),
  ],
  ['notes', 'Notes must be at most 10000 characters long', [note(active, '🏊'.repeat(10_001))]],
  ['notes', 'Notes must not contain NUL characters', [note(active, '\0')]],
  [
    'idempotencyKey',
    'Idempotency key must be 1 to 255 visible ASCII characters',
    ['', 'a b', 'é', 'k'.repeat(256)].map((key) => completeTask(own, key)),
  ],
];

async function expectBothToSay(at: Scene, [, status, message, refused, field]: Row) {
  const user = (await refused.user?.(at)) ?? at.ana;
  const { status: found, body } = await refused.rest(user, at);
  expect([found, body]).toEqual([status, { error: message }]);
  const extensions = { code: codes[status], ...(field && { fields: [{ name: field, message }] }) };
  await expect(refused.graphql(user, at)).rejects.toMatchObject({
    response: { errors: [{ message, extensions }] },
  });
}

describe('Both faces refuse with the same words', () => {
  it.each(refusals)('%s: %i %s', async (...row) => {
    await expectBothToSay(await scene(), row);
  });

  it.each(faults)('a wrong %s: %s', async (field, message, all) => {
    const at = await scene();
    for (const refused of all) await expectBothToSay(at, ['', 400, message, refused, field]);
  });

  it('several faults at once, of which they name the same one first', async () => {
    const { ana } = await scene();
    const input = { title: ' ', points: 0, description: '\0' };
    const { body } = await ana.rest.post('/api/tasks', input);
    await expect(ana.graphql.request(CREATE_TASK, { input })).rejects.toMatchObject({
      response: { errors: [{ message: body.error }] },
    });
  });

  it('a fault of ours', async () => {
    const database = await freshDatabase(2);
    onTestFinished(() => database.close());
    const { newUser } = await world({ database });
    const { rest, graphql } = await newUser();
    await sql`drop table tasks cascade`.execute(database.query());
    const { status, body } = await rest.post('/api/tasks', { title: 'Swim' });
    expect([status, body]).toEqual([500, { error: 'Internal server error' }]);
    await expect(graphql.request(CREATE_TASK, { input: { title: 'Swim' } })).rejects.toMatchObject({
      response: { errors: [{ message: body.error, extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
    });
  });
});

/** A REST answer as GraphQL would put it. */
function inGraphql(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inGraphql);
  if (typeof value !== 'object' || value === null) return value;
  const words = (key: string) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [words(key), key === 'id' ? String(part) : inGraphql(part)]),
  );
}

describe('Both faces show the same', () => {
  it('users, tasks, challenges and templates, ids and all', async () => {
    const { ana } = await scene();
    const { me, tasks, challenges, challengeTemplates } = await ana.graphql.request(ALL);
    const get = async (path: string) => inGraphql((await ana.rest.get(path)).body);
    expect(await get('/api/user/profile')).toEqual(me);
    expect(await get('/api/challenge-templates')).toEqual(challengeTemplates);
    expect(await get('/api/user-challenges')).toMatchObject(challenges.nodes);
    const counted = tasks.nodes.map(({ completionCount, ...task }: Record<string, unknown>) => ({
      task,
      completionCount,
    }));
    expect(await get('/api/tasks/me')).toMatchObject(counted);
    expect([tasks.nodes.length, challenges.nodes.length]).toEqual([2, 3]);
  });
});
