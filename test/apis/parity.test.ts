import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../support/database.js';
import { type Answer, type TestUser, world } from '../support/world.js';

const SIGN_UP = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }';
const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
const UPDATE_PROFILE =
  'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }';
const CREATE_TASK = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
const UPDATE_TASK =
  'mutation ($id: ID!, $input: UpdateTaskInput!) { updateTask(id: $id, input: $input) { task { id } } }';
const NOTE =
  'mutation ($id: ID!, $notes: String!) { updateChallengeNotes(id: $id, notes: $notes) { challenge { id } } }';
const ALL = `{
  me { id name email profilePicture points currentStreak maxStreak createdAt updatedAt }
  tasks { nodes { id title description points isDailyRoutine createdAt updatedAt completionCount } }
  challenges { nodes { id status startDate completedAt notes createdAt updatedAt template { id title durationDays } } }
  challengeTemplates { id title description durationDays createdAt updatedAt }
}`;

async function scene() {
  const { newUser } = await world();
  const ana = await newUser();
  const own = await ana.hasTask();
  const completed = await ana.hasAccepted(1);
  await ana.rest.put(`/api/user-challenges/${completed.id}/complete`);
  const abandoned = await ana.hasAccepted(2);
  await ana.rest.put(`/api/user-challenges/${abandoned.id}/abandon`);
  await ana.completes(await ana.hasTask());
  return { ana, own, active: await ana.hasAccepted(3) };
}

type Scene = Awaited<ReturnType<typeof scene>>;

/** The same request over one API and over the other. */
interface Refused {
  rest: (user: TestUser, scene: Scene) => Promise<Answer>;
  graphql: (user: TestUser, scene: Scene) => Promise<unknown>;
}

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
const note = (id: (scene: Scene) => unknown, notes: string): Refused => ({
  rest: ({ rest }, at) => rest.put(`/api/user-challenges/${id(at)}/notes`, { notes }),
  graphql: ({ graphql }, at) => graphql.request(NOTE, { id: id(at), notes }),
});
const own = ({ own: { id } }: Scene) => id;
const active = ({ active: { id } }: Scene) => id;

const account = (given: object) =>
  signUp(() => ({ name: 'Ana', email: 'a@b', password: 'secret1', ...given }));
const ofProfile = (given: object, inRest = given) =>
  updateProfile(
    () => given,
    () => inRest,
  );
const picture = (url: string) => ofProfile({ profilePicture: url }, { profile_picture: url });
const ofTask = (given: object, inRest = given) => updateTask(own, given, inRest);

/** Lengths, forms and nulls: refused by validation, before anything is looked up. */
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
    'isDailyRoutine',
    'Daily routine must be true or false',
    [createTask, ofTask].map((task) => task({ isDailyRoutine: null }, { is_daily_routine: null })),
  ],
  ['notes', 'Notes must not contain NUL characters', [note(active, '\0')]],
];

describe('Both APIs refuse with the same words', () => {
  it.each(faults)('a wrong %s: %s', async (name, message, all) => {
    const at = await scene();
    const extensions = { code: 'BAD_USER_INPUT', fields: [{ name, message }] };
    for (const refused of all) {
      const { status, body } = await refused.rest(at.ana, at);
      expect([status, body]).toEqual([400, { error: message }]);
      await expect(refused.graphql(at.ana, at)).rejects.toMatchObject({
        response: { errors: [{ message, extensions }] },
      });
    }
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

describe('Both APIs show the same', () => {
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
