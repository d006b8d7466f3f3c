import { randomUUID } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { expect } from 'vitest';
import { digestOf } from '../../src/features/account/secret.js';
import type { LinkPurpose } from '../../src/features/sign-in/account-link.entity.js';
import { insertLink } from '../../src/features/sign-in/account-link.queries.js';
import { insertIdentity, insertLogIn } from '../../src/features/sign-in/identity.queries.js';
import { EXCHANGE_COOKIE } from '../../src/features/sign-in/oidc/flow.js';
import { configOf } from './database.js';
import { withFeed } from './feed.js';
import { configWithMail } from './mail.js';
import {
  below,
  documentOf,
  get,
  heard,
  type Known,
  mutation,
  pages,
  post,
  put,
  query,
  type Way,
} from './ways.js';
import { TestUser, type World, world } from './world.js';

const TITLE = 'title: "Run", points: 3';
const LOOKS = 'target: { amount: 8, unit: "glasses" }, colour: BLUE, icon: "💧", tags: ["Water"]';

const atProvider = () => ({ issuer: 'https://id.example.com', subject: randomUUID() });

/** Of a service on the same database that sends mails and has a provider, though neither can be reached. */
const withMail =
  (way: Way): Way =>
  async (known) => {
    const provider = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'steady' };
    const here = await world({
      database: known.here.database,
      config: configWithMail({ port: 9 }, provider),
    });
    return way({ ...known, here, ana: await here.newUser() });
  };

/** Of a service that allows webhooks; nobody listens at the one that there is. */
const withWebhook =
  (name: string, given: (id: string) => string): Way =>
  async (known) => {
    const config = configOf({ WEBHOOK_HOSTS: '127.0.0.0/8' });
    const here = await world({ database: known.here.database, config });
    const ana = await here.newUser();
    const { createWebhook } = await ana.query(
      'mutation { createWebhook(input: { url: "http://127.0.0.1:9", name: "x" }) { webhook { id } } }',
    );
    return mutation(name, () => given(createWebhook.webhook.id))({ ...known, ana });
  };

/** With a link of somebody else's, who is mailed about what it does. */
const linked =
  (purpose: LinkPurpose, name: string, more = ''): Way =>
  async (known) => {
    const { here } = known;
    const { id: userId, account } = await here.newUser();
    const secret = randomUUID();
    const link = { userId, purpose, digest: digestOf(secret), email: account.email };
    const dates = {
      createdAt: here.clock.now(),
      expiresAt: new Date(here.clock.now().getTime() + 3_600_000),
    };
    await insertLink(here.database.query(), { ...link, ...dates });
    return withMail(mutation(name, () => `token: "${secret}"${more}`))(known);
  };

const ofPause =
  (way: (id: string) => Way): Way =>
  async (known) => {
    const { me } = await known.ana.query('{ me { pauses { id } } }');
    return way(me.pauses[0].id)(known);
  };

/** A later page of tasks, of which nothing is shown but plain fields: the statement reads fewer columns. */
const plainTasks =
  (given: string): Way =>
  async ({ ana }) => {
    const ask = (more: string, shown: string) =>
      ana.rest.post('/graphql', { query: `{ tasks(first: 1 ${given} ${more}) { ${shown} } }` });
    const { edges } = (await ask('', 'edges { cursor }')).body.data.tasks;
    return ask(`after: "${edges[0].cursor}"`, 'nodes { id } totalCount pageInfo { hasPreviousPage }');
  };

/** Every endpoint, by the ways to ask it: what a route or a field does may depend on what is given. */
const ways: Record<string, Way[]> = {
  'POST /auth/signup': [
    post('/auth/signup', () => ({ name: 'Bea', email: `${randomUUID()}@example.com`, password: 'secret1' })),
  ],
  'POST /auth/login': [post('/auth/login', ({ ana: { account } }) => account)],
  'GET /user/profile': [get('/user/profile')],
  'PUT /user/profile': [put(() => '/user/profile', { name: 'Ana B.' })],
  'POST /tasks': [
    post('/tasks', () => ({ title: 'Swim' })),
    post('/tasks', () => ({ title: 'Swim', challenge_template_id: 1 })),
  ],
  'GET /tasks/me': [get('/tasks/me')],
  'PUT /tasks/{taskId}': [put(({ task }) => `/tasks/${task}`, { title: 'Swim far' })],
  'POST /task-completions': [
    ({ ana, task }) => ana.completes({ id: task }),
    ({ ana, task }) => ana.completes({ id: task }, { 'idempotency-key': 'a' }),
    ({ ana, task }) => ana.completes({ id: task }, { 'idempotency-key': 'a' }),
  ],
  'GET /challenge-templates': [get('/challenge-templates')],
  'GET /challenge-templates/{id}': [get('/challenge-templates/1')],
  'GET /user-challenges': [get('/user-challenges')],
  'GET /user-challenges/active': [get('/user-challenges/active')],
  'PUT /user-challenges/{id}/notes': [
    put(({ challenge }) => `/user-challenges/${challenge}/notes`, { notes: 'x' }),
  ],
  'GET /account/export': [({ ana }) => ana.rest.get('/account/export')],
  'GET /account/completions.csv': [({ ana }) => ana.rest.get('/account/completions.csv')],
  'POST /account/import': [
    async ({ here, ana }) =>
      (await here.newUser()).rest.post('/account/import', (await ana.rest.get('/account/export')).body),
  ],
  'Query.me': [query('me')],
  'Query.tasks': [
    ...['', 'archived: ARCHIVED', 'archived: ANY'].map(plainTasks),
    ...[
      '',
      'archived: ARCHIVED',
      'archived: ANY',
      'tag: "Water"',
      'archived: ARCHIVED, today: OPEN',
      'today: KEPT',
      'archived: ANY, tag: "Water"',
    ].flatMap((given) => pages('tasks', () => given)),
  ],
  'Query.task': [
    query('task', ({ task }) => `id: "${task}"`),
    query('task', ({ planned }) => `id: "${planned}"`),
    below(({ task }) => `task(id: "${task}")`, 'completions', 'CompletionConnection'),
  ],
  'Query.completions': ['', 'from: "2026-11-01"', 'from: "2026-11-01", to: "2026-11-30"'].flatMap((given) => [
    ...pages('completions', () => given),
    ...pages('completions', ({ task }) => `taskId: "${task}" ${given}`),
  ]),
  'Query.completion': [query('completion', ({ completion }) => `id: "${completion}"`)],
  'Query.challenges': ['', 'status: ABANDONED'].flatMap((given) => pages('challenges', () => given)),
  'Query.challenge': [query('challenge', ({ challenge }) => `id: "${challenge}"`)],
  'Query.activeChallenge': [
    query('activeChallenge'),
    below(() => 'activeChallenge', 'tasks', 'TaskConnection'),
  ],
  'Query.challengeTemplates': [query('challengeTemplates')],
  'Query.challengeTemplate': [query('challengeTemplate', () => 'id: "1"')],
  'Query.apiTokens': [query('apiTokens')],
  'Query.events': pages('events', () => ''),
  'Mutation.signUp': [
    mutation(
      'signUp',
      () => `input: { name: "Bea", email: "${randomUUID()}@example.com", password: "secret1" }`,
    ),
  ],
  'Mutation.logIn': [
    mutation(
      'logIn',
      ({ ana: { account } }) => `input: { email: "${account.email}", password: "${account.password}" }`,
    ),
  ],
  'Mutation.createTask': [
    mutation('createTask', () => `input: { ${TITLE} }`),
    mutation('createTask', () => `input: { ${TITLE}, challengeTemplateId: "1" }`),
    mutation('createTask', () => `input: { ${TITLE} }, idempotencyKey: "habit"`),
    ...['weekdays: [MONDAY, FRIDAY]', 'everyDays: 3', 'timesPer: { count: 2, period: MONTH }'].map(
      (schedule) => mutation('createTask', () => `input: { ${TITLE}, schedule: { ${schedule} }, ${LOOKS} }`),
    ),
  ],
  'Mutation.updateTask': [
    mutation('updateTask', ({ task }) => `id: "${task}", input: { title: "Dive" }`),
    mutation('updateTask', ({ task }) => `id: "${task}", input: { reminders: [{ at: "08:00" }] }`),
    ...[
      'schedule: { everyDays: 2 }',
      LOOKS,
      'schedule: { everyDay: true }, target: null',
      'challengeTemplateId: null',
    ].map((given) => mutation('updateTask', ({ task }) => `id: "${task}", input: { ${given} }`)),
  ],
  'Mutation.completeTask': [
    mutation('completeTask', ({ task }) => `taskId: "${task}", idempotencyKey: "b"`),
    mutation('completeTask', ({ planned }) => `taskId: "${planned}", amount: 2.5, note: "Cold"`),
    mutation('completeTask', ({ task }) => `taskId: "${task}", at: "2026-11-20T13:00:00.000Z"`),
    mutation('completeTask', ({ task }) => `taskId: "${task}", at: "2026-11-20T13:00:00.000Z"`),
  ],
  'Mutation.completeTasks': [
    mutation(
      'completeTasks',
      ({ task, other }) =>
        `input: [{ taskId: "${task}", idempotencyKey: "c" }, { taskId: "${other}", idempotencyKey: "d", at: "2026-11-20T14:00:00.000Z" }]`,
    ),
  ],
  'Mutation.updateCompletionNote': [
    mutation('updateCompletionNote', ({ completion }) => `id: "${completion}", note: "Well"`),
  ],
  'Mutation.skipDay': ['task', 'planned'].map((which) =>
    mutation('skipDay', (known) => `taskId: "${known[which as 'task']}", date: "2026-11-23", note: "Ill"`),
  ),
  'Mutation.unskipDay': [mutation('unskipDay', ({ task }) => `taskId: "${task}", date: "2026-11-23"`)],
  'Mutation.createPause': [
    mutation(
      'createPause',
      ({ planned }) => `input: { taskId: "${planned}", from: "2026-12-01", until: "2026-12-31" }`,
    ),
    mutation('createPause', () => 'input: { from: "2026-12-24", note: "Away" }'),
    mutation('completeTask', ({ task }) => `taskId: "${task}"`), // both runs are counted otherwise now
  ],
  'Mutation.updatePause': ['until: "2026-12-30"', 'from: "2026-12-23", note: null'].map((changes) =>
    ofPause((id) => mutation('updatePause', () => `id: "${id}", input: { ${changes} }`)),
  ),
  'Mutation.deletePause': [ofPause((id) => mutation('deletePause', () => `id: "${id}"`))],
  'Query.reminderService': [query('reminderService')],
  'Mutation.addChannel': [
    async (known) => {
      await known.here.database.query<Record<string, never>>().executeQuery(
        CompiledQuery.raw(
          `insert into channels (id, user_id, kind, name, host, address, state, created_at)
             values (gen_random_uuid(), '${known.ana.id}', 'NTFY', 'Phone', 'ntfy', 'topic', 'WORKING', now())`,
        ),
      );
      return known.ana.rest.post('/graphql', { query: '{ me { channels { id } } }' });
    },
  ],
  'Mutation.testChannel': [query('reminderService')],
  'Mutation.deleteChannel': [
    async (known) => {
      const { me } = await known.ana.query('{ me { channels { id } } }');
      return mutation('deleteChannel', () => `id: "${me.channels[0].id}"`)(known);
    },
  ],
  'Mutation.createCheckInLink': [
    mutation('createCheckInLink', ({ task }) => `taskId: "${task}", name: "Fridge"`),
  ],
  ...Object.fromEntries(
    ['GET /check-in/{token}', 'POST /check-in/{token}', 'POST /check-in/{token}/undo'].map((endpoint) => [
      endpoint,
      [
        async ({ here, ana, other }: Known) => {
          const { createCheckInLink } = await ana.query(
            `mutation { createCheckInLink(taskId: "${other}", name: "Desk") { url } }`,
          );
          const [method = '', path = ''] = endpoint.split(' ');
          const { pathname } = new URL(createCheckInLink.url);
          await here.rest.post(pathname, undefined, { accept: 'application/json' });
          return here.rest.send(method, path.replace('/check-in/{token}', pathname));
        },
      ],
    ]),
  ),
  'Mutation.createCalendarFeed': [
    mutation('createCalendarFeed', () => 'input: { name: "Habits", tag: "sport", links: true }'),
    async ({ here, ana }) => {
      const { createCalendarFeed } = await ana.query(
        'mutation { createCalendarFeed(input: { name: "Habits", section: "Morning" }) { url } }',
      );
      return here.rest.get(new URL(createCalendarFeed.url).pathname);
    },
  ],
  'Mutation.deleteCalendarFeed': [
    async (known) => {
      const { me } = await known.ana.query('{ me { calendars { id } } }');
      return mutation('deleteCalendarFeed', () => `id: "${me.calendars[0].id}"`)(known);
    },
  ],
  'Mutation.deleteCheckInLink': [
    async (known) => {
      const { task } = await known.ana.query(`{ task(id: "${known.task}") { checkInLinks { id } } }`);
      return mutation('deleteCheckInLink', () => `id: "${task.checkInLinks[0].id}"`)(known);
    },
  ],
  'Mutation.undoCompletion': [mutation('undoCompletion', ({ completion }) => `id: "${completion}"`)],
  'Mutation.moveTask': [
    mutation('moveTask', ({ task }) => `id: "${task}", behindTaskId: null`),
    mutation('moveTask', ({ task, other }) => `id: "${task}", behindTaskId: "${other}"`),
    mutation('moveTask', ({ task }) => `id: "${task}", section: "Morning"`),
  ],
  'Mutation.renameSection': [mutation('renameSection', () => 'name: "Morning", newName: "Evening"')],
  'Mutation.archiveTask': [mutation('archiveTask', ({ task }) => `id: "${task}"`)],
  'Mutation.unarchiveTask': [mutation('unarchiveTask', ({ task }) => `id: "${task}"`)],
  'Mutation.deleteTask': [
    async (known) => {
      const { id } = await known.ana.hasTask();
      await known.ana.completes({ id });
      return mutation('deleteTask', () => `id: "${id}"`)(known);
    },
  ],
  'Mutation.updateProfile': [
    mutation('updateProfile', () => 'input: { name: "Ana" }'),
    mutation('updateProfile', () => 'input: { timeZone: "Pacific/Auckland", dayStartsAt: 4 }'),
    mutation('updateProfile', () => 'input: { weekStartsOn: SUNDAY }'),
    mutation('updateProfile', () => 'input: { dayReminder: "20:00" }'),
  ],
  'Mutation.changePassword': [
    mutation(
      'changePassword',
      ({ ana: { account } }) =>
        `input: { currentPassword: "${account.password}", newPassword: "${account.password}" }`,
    ),
  ],
  'Mutation.changeEmail': [
    mutation(
      'changeEmail',
      ({ ana: { account } }) =>
        `input: { currentPassword: "${account.password}", newEmail: "${account.email}" }`,
    ),
  ],
  'PUT /user-challenges/{id}/abandon': [put(({ challenge }) => `/user-challenges/${challenge}/abandon`)],
  'POST /user-challenges/accept': [post('/user-challenges/accept', () => ({ templateId: 2 }))],
  'PUT /user-challenges/{id}/complete': [
    async ({ ana }) => {
      const { body } = await ana.rest.get('/api/user-challenges/active');
      return ana.rest.put(`/api/user-challenges/${body.id}/complete`);
    },
  ],
  'Mutation.acceptChallenge': [mutation('acceptChallenge', () => 'templateId: "3"')],
  'Mutation.updateChallengeNotes': [
    mutation('updateChallengeNotes', ({ challenge }) => `id: "${challenge}", notes: "Well"`),
  ],
  'Mutation.abandonChallenge': [
    async (known) => {
      const { activeChallenge } = await known.ana.query('{ activeChallenge { id } }');
      return mutation('abandonChallenge', () => `id: "${activeChallenge.id}"`)(known);
    },
  ],
  'Mutation.completeChallenge': [
    async (known) => {
      const { id } = await known.ana.hasAccepted(4);
      return mutation('completeChallenge', () => `id: "${id}"`)(known);
    },
  ],
  'Subscription.progressChanged': [
    heard('progressChanged { kind user { points } task { id } completion { id } }', ({ ana, other }) =>
      ana.completes({ id: other }),
    ),
  ],
  'Subscription.challengeChanged': [
    heard('challengeChanged { id notes template { id } }', ({ ana, challenge }) =>
      ana.rest.put(`/api/user-challenges/${challenge}/notes`, { notes: 'y' }),
    ),
  ],
  'Subscription.events': [
    heard('events { number kind task { id } completion { id } }', ({ ana, other }) =>
      ana.completes({ id: other }),
    ),
  ],
  'Mutation.createWebhook': [
    withWebhook(
      'createWebhook',
      () => 'input: { url: "http://127.0.0.1:9", name: "y", kinds: [TASK_CREATED] }',
    ),
  ],
  'Mutation.updateWebhook': [withWebhook('updateWebhook', (id) => `input: { id: "${id}", name: "z" }`)],
  'Mutation.deleteWebhook': [withWebhook('deleteWebhook', (id) => `id: "${id}"`)],
  'Mutation.testWebhook': [withWebhook('testWebhook', (id) => `id: "${id}"`)],
  'Mutation.resumeWebhook': [withWebhook('resumeWebhook', (id) => `id: "${id}", after: "0"`)],
  'Mutation.createApiToken': [
    async (known) => {
      const made = await mutation('createApiToken', () => 'input: { name: "a", scopes: [READ] }')(known);
      expect((await known.ana.rest.as(made.body.data.createApiToken.token).get('/api/tasks/me')).status).toBe(
        200,
      );
      return made;
    },
  ],
  'Mutation.deleteApiToken': [
    async (known) => {
      const { apiTokens } = await known.ana.query('{ apiTokens { id } }');
      return mutation('deleteApiToken', () => `id: "${apiTokens[0].id}"`)(known);
    },
  ],
  'Mutation.signOut': [
    async (known) => {
      const { token } = (await known.here.rest.post('/api/auth/login', known.ana.account)).body;
      const document = { query: documentOf('mutation', 'signOut', '') };
      return known.ana.rest.as(token).post('/graphql', document);
    },
  ],
  'Mutation.deleteMyAccount': [
    async ({ here }) => {
      const bea = await here.newUser();
      const given = `password: "${bea.account.password}"`;
      return bea.rest.post('/graphql', { query: documentOf('mutation', 'deleteMyAccount', given) });
    },
  ],
  'Mutation.signOutEverywhere': [mutation('signOutEverywhere')],
  'Query.signInService': [query('signInService')],
  'Mutation.requestPasswordReset': [
    withMail(mutation('requestPasswordReset', ({ ana }) => `email: "${ana.account.email}"`)),
  ],
  'Mutation.requestEmailConfirmation': [withMail(mutation('requestEmailConfirmation'))],
  'Mutation.connectIdentity': [withMail(mutation('connectIdentity'))],
  'Mutation.deleteIdentity': [
    async (known) => {
      const bea = await known.here.newUser();
      await insertIdentity(known.here.database.query(), bea.id, atProvider(), known.here.clock.now());
      const { me } = await bea.query('{ me { identities { id } } }');
      const given = `id: "${me.identities[0].id}"`;
      return bea.rest.post('/graphql', { query: documentOf('mutation', 'deleteIdentity', given) });
    },
  ],
  'Mutation.exchangeLogIn': [
    withMail(async ({ here }) => {
      const bea = await here.newUser();
      const [query, now, there, secret] = [
        here.database.query(),
        here.clock.now(),
        atProvider(),
        randomUUID(),
      ];
      await insertIdentity(query as never, bea.id, there, now);
      const digests = { codeDigest: digestOf(secret), browserDigest: digestOf(secret) };
      const until = { sessionId: null, expiresAt: new Date(now.getTime() + 1_000) };
      await insertLogIn(query as never, { userId: bea.id, ...there, ...digests, ...until }, now);
      const document = { query: documentOf('mutation', 'exchangeLogIn', `code: "${secret}"`) };
      return here.rest.post('/graphql', document, { cookie: `${EXCHANGE_COOKIE}=${secret}` });
    }),
  ],
  'Mutation.confirmEmail': [linked('CONFIRM', 'confirmEmail')],
  'Mutation.undoEmailChange': [linked('UNDO_EMAIL', 'undoEmailChange')],
  'Mutation.resetPassword': [linked('RESET', 'resetPassword', ', newPassword: "secret2"')],
};

/** What is looked for when something is not found, or not as it has to be. */
const refused: Way[] = [
  put(({ foreign }) => `/tasks/${foreign}`, { title: 'Mine' }),
  ({ ana, foreign }) => ana.completes({ id: foreign }),
  ({ ana }) => ana.completes({ id: 9_007_199_254_740_991 }),
  ({ ana, old }) => ana.completes({ id: old }),
  ({ ana, other }) => ana.completes({ id: other }, { 'idempotency-key': 'a' }),
  mutation('moveTask', ({ foreign }) => `id: "${foreign}", behindTaskId: null`),
  mutation('moveTask', ({ task, foreign }) => `id: "${task}", behindTaskId: "${foreign}"`),
  mutation('archiveTask', ({ foreign }) => `id: "${foreign}"`),
  mutation('deleteTask', ({ foreign }) => `id: "${foreign}"`),
  mutation('completeTask', ({ foreign }) => `taskId: "${foreign}", at: "2026-11-20T13:00:00.000Z"`),
  mutation('undoCompletion', () => 'id: "9007199254740991"'),
  mutation('skipDay', ({ foreign }) => `taskId: "${foreign}", date: "2026-11-23"`),
  mutation('createPause', ({ foreign }) => `input: { taskId: "${foreign}", from: "2026-11-23" }`),
  mutation('createPause', ({ planned }) => `input: { taskId: "${planned}", from: "2026-12-24" }`),
  mutation('updatePause', () => `id: "${randomUUID()}", input: { until: "2026-12-24" }`),
  mutation('deletePause', () => `id: "${randomUUID()}"`),
  mutation('updateCompletionNote', () => 'id: "9007199254740991", note: "Mine"'),
  mutation('createCheckInLink', ({ foreign }) => `taskId: "${foreign}", name: "Mine"`),
  mutation('deleteCheckInLink', () => `id: "${randomUUID()}"`),
  ({ here }) => here.rest.get(`/check-in/${'x'.repeat(32)}`),
  mutation('deleteCalendarFeed', () => `id: "${randomUUID()}"`),
  ({ here }) => here.rest.get(`/calendar/${'x'.repeat(43)}.ics`),
  mutation('createTask', () => `input: { ${TITLE}, challengeTemplateId: "7" }`),
  put(() => '/user-challenges/9007199254740991/notes', { notes: 'x' }),
  put(({ challenge }) => `/user-challenges/${challenge}/complete`),
  async ({ ana }) => {
    await ana.hasAccepted(5);
    return ana.rest.post('/api/user-challenges/accept', { templateId: 6 });
  },
  post('/user-challenges/accept', () => ({ templateId: 99 })),
  post('/auth/login', ({ ana: { account } }) => ({ ...account, password: 'wrong1' })),
  post('/auth/signup', ({ ana: { account } }) => account),
  async ({ ana }) => ana.rest.post('/account/import', (await ana.rest.get('/account/export')).body),
];

export const endpoints = Object.keys(ways);

async function known(here: World): Promise<Known> {
  const ana = await withFeed(await here.newUser());
  const [task, other, old] = [await ana.hasTask(), await ana.hasTask(), await ana.hasTask()];
  await ana.query(`mutation { archiveTask(id: "${old.id}") { task { id } } }`);
  for (const each of [task, task, other]) await ana.completes(each);
  const ended = await ana.hasAccepted(2);
  await ana.rest.put(`/api/user-challenges/${ended.id}/abandon`);
  const challenge = await ana.hasAccepted(1);
  for (const title of ['Dive', 'Row']) await ana.hasTask({ title, challenge_template_id: 1 });
  const { createTask } = await ana.query(
    `mutation { createTask(input: { ${TITLE}, schedule: { timesPer: { count: 3, period: WEEK } }, ${LOOKS} }) { task { id } } }`,
  );
  const planned = Number(createTask.task.id);
  await ana.completes({ id: planned });
  const { completions } = await ana.query('{ completions(first: 1) { nodes { id } } }');
  const completion = Number(completions.nodes[0].id);
  const foreign = (await (await here.newUser()).hasTask()).id;
  return {
    here,
    ana,
    foreign,
    old: old.id,
    task: task.id,
    other: other.id,
    challenge: challenge.id,
    planned,
    completion,
  };
}

/** Asks every endpoint, in every way, and for what is not there. */
export async function askEverything(here: World): Promise<void> {
  const given = await known(here);
  for (const [endpoint, all] of Object.entries(ways)) {
    for (const way of all) {
      const { status, body, text } = await way(given);
      expect([200, 201, 204], `${endpoint}: ${text}`).toContain(status);
      expect(body?.errors, endpoint).toBeUndefined();
    }
  }
  given.ana = await signedIn(given);
  for (const [index, way] of refused.entries()) {
    const { status, text } = await way(given);
    expect(status >= 400 || text.includes('"errors"'), `refused[${index}]: ${text}`).toBe(true);
  }
}

async function signedIn({ here, ana }: Known): Promise<TestUser> {
  const { body } = await here.rest.post('/api/auth/login', ana.account);
  return new TestUser(here.base, body.token, ana.account);
}
