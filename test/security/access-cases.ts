import { type Answer, type TestUser } from '../support/world.js';

// For access.test.ts: the cases of every place where something can be put in, and of every field without input.

export const KINDS = ['task', 'challenge', 'completion', 'template', 'pause', 'link', 'channel'] as const;
export type Refers = (typeof KINDS)[number];

/** Where an id of something can be put in, and how to put it there. */
interface Reference {
  to: Refers;
  ask: (ana: TestUser, id: number | string) => Promise<Answer>;
}

export const rest = (to: Refers, ask: Reference['ask']): Reference => ({ to, ask });
export const graphql = (to: Refers, query: string): Reference => ({
  to,
  ask: (ana, id) => ana.rest.post('/graphql', { query, variables: { id: String(id) } }),
});

/** Of completeTasks, as if it were the answer: what is refused there is refused by itself. */
const onlyResult = (answer: Answer): Answer => ({
  ...answer,
  body: { data: answer.body.data.completeTasks.results[0] },
});

export const references: Record<string, Reference> = {
  'PUT /tasks/{taskId} taskId': rest('task', (ana, id) =>
    ana.rest.put(`/api/tasks/${id}`, { title: 'Mine' }),
  ),
  'POST /task-completions task_id': rest('task', (ana, id) => ana.completes({ id: id as number })),
  'POST /tasks challenge_template_id': rest('template', (ana, id) =>
    ana.rest.post('/api/tasks', { title: 'Mine', challenge_template_id: id }),
  ),
  'PUT /user-challenges/{id}/notes id': rest('challenge', (ana, id) =>
    ana.rest.put(`/api/user-challenges/${id}/notes`, { notes: 'Mine' }),
  ),
  'PUT /user-challenges/{id}/complete id': rest('challenge', (ana, id) =>
    ana.rest.put(`/api/user-challenges/${id}/complete`),
  ),
  'PUT /user-challenges/{id}/abandon id': rest('challenge', (ana, id) =>
    ana.rest.put(`/api/user-challenges/${id}/abandon`),
  ),
  'Query.task(id)': graphql('task', 'query ($id: ID!) { task(id: $id) { id title } }'),
  'Query.completion(id)': graphql('completion', 'query ($id: ID!) { completion(id: $id) { id points } }'),
  'Query.completions(taskId)': {
    to: 'task',
    ask: async (ana, id) => {
      const query = 'query ($id: ID!) { completions(taskId: $id) { nodes { id } totalCount } }';
      const answer = await ana.rest.post('/graphql', { query, variables: { id: String(id) } });
      const { nodes, totalCount } = answer.body.data.completions;
      return { ...answer, body: { data: { rows: nodes.length + totalCount || null } } };
    },
  },
  'Query.challenge(id)': graphql('challenge', 'query ($id: ID!) { challenge(id: $id) { id notes } }'),
  'Mutation.updateTask(id)': graphql(
    'task',
    'mutation ($id: ID!) { updateTask(id: $id, input: { title: "Mine" }) { task { id title } } }',
  ),
  'Mutation.archiveTask(id)': graphql(
    'task',
    'mutation ($id: ID!) { archiveTask(id: $id) { task { id title } } }',
  ),
  'Mutation.unarchiveTask(id)': graphql(
    'task',
    'mutation ($id: ID!) { unarchiveTask(id: $id) { task { id title } } }',
  ),
  'Mutation.deleteTask(id)': graphql(
    'task',
    'mutation ($id: ID!) { deleteTask(id: $id) { taskId user { points } } }',
  ),
  'Mutation.moveTask(id)': graphql('task', 'mutation ($id: ID!) { moveTask(id: $id) { task { id title } } }'),
  'Mutation.moveTask(after)': {
    to: 'task',
    ask: async (ana, id) => {
      const { tasks } = await ana.query('{ tasks(first: 1) { nodes { id } } }');
      const query = 'mutation ($own: ID!, $id: ID!) { moveTask(id: $own, after: $id) { task { id } } }';
      const variables = { own: tasks.nodes[0].id, id: String(id) };
      return ana.rest.post('/graphql', { query, variables });
    },
  },
  'Mutation.completeTask(taskId)': graphql(
    'task',
    'mutation ($id: ID!) { completeTask(taskId: $id) { task { id title } user { points } } }',
  ),
  'CompletionInput.taskId': {
    to: 'task',
    ask: async (ana, id) => {
      const query = `mutation ($id: ID!) {
        completeTasks(input: [{ taskId: $id, idempotencyKey: "new" }]) { results { task { id title } } }
      }`;
      return onlyResult(await ana.rest.post('/graphql', { query, variables: { id: String(id) } }));
    },
  },
  'Mutation.skipDay(taskId)': graphql(
    'task',
    'mutation ($id: ID!) { skipDay(taskId: $id, date: "2026-11-21") { task { id title } } }',
  ),
  'Mutation.unskipDay(taskId)': graphql(
    'task',
    'mutation ($id: ID!) { unskipDay(taskId: $id, date: "2026-11-22") { task { id title } } }',
  ),
  'Mutation.pause(taskId)': graphql(
    'task',
    'mutation ($id: ID!) { pause(taskId: $id, from: "2026-11-21") { pause { id } user { points } } }',
  ),
  'Mutation.endPause(id)': graphql(
    'pause',
    'mutation ($id: ID!) { endPause(id: $id, until: "2026-11-20") { pause { id } user { points } } }',
  ),
  'Mutation.updateCompletionNote(id)': graphql(
    'completion',
    'mutation ($id: ID!) { updateCompletionNote(id: $id, note: "Mine") { completion { id note } } }',
  ),
  'Mutation.undoCompletion(id)': graphql(
    'completion',
    'mutation ($id: ID!) { undoCompletion(id: $id) { task { id } user { points } } }',
  ),
  'Mutation.updateChallengeNotes(id)': graphql(
    'challenge',
    'mutation ($id: ID!) { updateChallengeNotes(id: $id, notes: "Mine") { challenge { id notes } } }',
  ),
  'Mutation.completeChallenge(id)': graphql(
    'challenge',
    'mutation ($id: ID!) { completeChallenge(id: $id) { challenge { id notes } user { id } } }',
  ),
  'Mutation.abandonChallenge(id)': graphql(
    'challenge',
    'mutation ($id: ID!) { abandonChallenge(id: $id) { challenge { id notes } user { id } } }',
  ),
  'Mutation.createCheckInLink(taskId)': graphql(
    'task',
    'mutation ($id: ID!) { createCheckInLink(taskId: $id, name: "Mine") { url link { id } } }',
  ),
  'Mutation.removeChannel(id)': graphql(
    'channel',
    'mutation ($id: ID!) { removeChannel(id: $id) { channelId } }',
  ),
  'Mutation.testChannel(id)': graphql(
    'channel',
    'mutation ($id: ID!) { testChannel(id: $id) { delivered } }',
  ),
  'Mutation.revokeCheckInLink(id)': graphql(
    'link',
    'mutation ($id: ID!) { revokeCheckInLink(id: $id) { linkId } }',
  ),
  'UpdateTaskInput.challengeTemplateId': {
    to: 'template',
    ask: async (ana, id) => {
      const { tasks } = await ana.query('{ tasks(first: 1) { nodes { id } } }');
      const query =
        'mutation ($own: ID!, $id: ID) { updateTask(id: $own, input: { challengeTemplateId: $id }) { task { id } } }';
      const variables = { own: tasks.nodes[0].id, id: String(id) };
      return ana.rest.post('/graphql', { query, variables });
    },
  },
  'CreateTaskInput.challengeTemplateId': graphql(
    'template',
    'mutation ($id: ID) { createTask(input: { title: "Mine", challengeTemplateId: $id }) { task { id } } }',
  ),
};

/** Where a key is put in that is only unique to its user. */
export const keys: Record<string, (ana: TestUser, id: number, key: string) => Promise<Answer>> = {
  'POST /task-completions Idempotency-Key': (ana, id, key) =>
    ana.completes({ id }, { 'idempotency-key': key }),
  'Mutation.completeTask(idempotencyKey)': (ana, id, key) => {
    const query = `mutation ($id: ID!, $key: String) {
      completeTask(taskId: $id, idempotencyKey: $key) { replayed completion { id task { id } } }
    }`;
    return ana.rest.post('/graphql', { query, variables: { id, key } });
  },
  'CompletionInput.idempotencyKey': async (ana, id, key) => {
    const query = `mutation ($id: ID!, $key: String!) {
      completeTasks(input: [{ taskId: $id, idempotencyKey: $key }]) {
        results { replayed completion { id task { id } } }
      }
    }`;
    const answer = await ana.rest.post('/graphql', { query, variables: { id, key } });
    return { ...answer, body: { data: { completeTask: onlyResult(answer).body.data } } };
  },
};

/** The same of new tasks: with each key somebody else has made one. */
export const creationKeys: Record<string, (user: TestUser, key: string) => Promise<Answer>> = {
  'Mutation.createTask(idempotencyKey)': (user, key) => {
    const query = `mutation ($key: String) {
      createTask(input: { title: "Swim" }, idempotencyKey: $key) { replayed task { id } }
    }`;
    return user.rest.post('/graphql', { query, variables: { key } });
  },
};

const PAGE = '(first: 1, after: $after) { edges { cursor node { id } } totalCount }';
/** Where a cursor is put in; each shows a list of the caller's. */
export const lists: Record<string, string> = {
  'Query.tasks(after)': `tasks${PAGE}`,
  'Query.completions(after)': `completions${PAGE}`,
  'Query.challenges(after)': `challenges${PAGE}`,
  'Task.completions(after)': `tasks(first: 1) { nodes { completions${PAGE} } }`,
  'Challenge.tasks(after)': `activeChallenge { tasks${PAGE} }`,
};

/** What is put in here refers to nothing: it is text, a number, or what everybody may see. */
export const plain = [
  ...['name', 'email', 'password'].map((name) => `POST /auth/signup ${name}`),
  ...['email', 'password'].map((name) => `POST /auth/login ${name}`),
  ...['name', 'profile_picture', 'email', 'newPassword'].map((name) => `PUT /user/profile ${name}`),
  ...['title', 'points', 'description', 'is_daily_routine'].map((name) => `POST /tasks ${name}`),
  ...['title', 'points', 'description', 'is_daily_routine'].map((name) => `PUT /tasks/{taskId} ${name}`),
  'GET /challenge-templates/{id} id',
  'POST /user-challenges/accept templateId',
  'PUT /user-challenges/{id}/notes notes',
  'Query.challengeTemplate(id)',
  'Mutation.addChannel(input)',
  ...['name', 'push', 'ntfy', 'apprise'].map((name) => `AddChannelInput.${name}`),
  ...['endpoint', 'p256dh', 'auth'].map((name) => `PushInput.${name}`),
  ...['NtfyInput.topic', 'NtfyInput.token', 'AppriseInput.urls', 'UpdateProfileInput.dayReminder'],
  ...['ReminderInput.at', 'ReminderInput.weekdays'],
  ...['CreateTaskInput.reminders', 'UpdateTaskInput.reminders'],
  ...['amount', 'key'].map((name) => `POST /check-in/{token} ${name}`),
  ...['name', 'amount'].map((name) => `Mutation.createCheckInLink(${name})`),
  'Query.challenges(status)',
  ...['tasks', 'completions', 'challenges'].map((name) => `Query.${name}(first)`),
  ...['Task.completions(first)', 'Challenge.tasks(first)'],
  ...['User.calendar', 'Task.calendar', 'Task.statistics'].flatMap((field) => [
    `${field}(from)`,
    `${field}(to)`,
    `${field}(last)`,
  ]),
  'TaskStatistics.by(period)',
  ...['completeTasks', 'createApiToken', 'createTask', 'logIn', 'signUp', 'updateProfile', 'updateTask'].map(
    (name) => `Mutation.${name}(input)`,
  ),
  ...['archived', 'today', 'tag', 'section'].map((name) => `Query.tasks(${name})`),
  'Mutation.deleteMyAccount(password)',
  ...['requestPasswordReset(email)', 'resetPassword(token)', 'resetPassword(newPassword)'].map(
    (place) => `Mutation.${place}`,
  ),
  ...['confirmEmail(token)', 'undoEmailChange(token)', 'exchangeLogIn(code)'].map(
    (place) => `Mutation.${place}`,
  ),
  ...['Query.completions(from)', 'Query.completions(to)'],
  ...['at', 'amount', 'note'].flatMap((name) => [
    `Mutation.completeTask(${name})`,
    `CompletionInput.${name}`,
  ]),
  ...['moveTask(section)', 'renameSection(from)', 'renameSection(to)'].map((place) => `Mutation.${place}`),
  'Mutation.updateCompletionNote(note)',
  ...['skipDay(date)', 'skipDay(note)', 'unskipDay(date)', 'endPause(until)'].map(
    (place) => `Mutation.${place}`,
  ),
  ...['from', 'until', 'note'].map((name) => `Mutation.pause(${name})`),
  ...['Mutation.acceptChallenge(templateId)', 'Mutation.updateChallengeNotes(notes)'],
  ...['CreateTaskInput', 'UpdateTaskInput'].flatMap((input) =>
    [
      ...['title', 'points', 'description', 'isDailyRoutine'],
      ...['schedule', 'target', 'colour', 'icon', 'tags', 'section'],
    ].map((name) => `${input}.${name}`),
  ),
  ...['weekdays', 'every', 'times'].map((name) => `ScheduleInput.${name}`),
  ...['TimesInput.times', 'TimesInput.per', 'TargetInput.amount', 'TargetInput.unit'],
  ...['TargetInput.kind', 'TargetInput.per'],
  ...['name', 'email', 'password'].map((name) => `SignUpInput.${name}`),
  ...['email', 'password'].map((name) => `LogInInput.${name}`),
  ...['name', 'scopes', 'expiresAt'].map((name) => `CreateApiTokenInput.${name}`),
  ...[
    'name',
    'email',
    'newPassword',
    'profilePicture',
    'timeZone',
    'dayStartsAt',
    'weekStartsOn',
    'language',
  ].map((name) => `UpdateProfileInput.${name}`),
];

/** Not by an id: test/check-in tries the addresses of others and of none. */
export const addresses = [
  'GET /check-in/{token}',
  'POST /check-in/{token}',
  'POST /check-in/{token}/undo',
].map((endpoint) => `${endpoint} token`);

/** Not by a number: test/accounts/api-tokens.test.ts and test/sign-in/oidc.test.ts try them. */
export const tokenIds = ['Mutation.revokeApiToken(id)', 'Mutation.disconnectIdentity(id)'];

/** Places where nothing is put in, or a file without ids of ours: whose data they show is tested below, by all that somebody can read. */
export const withoutInput = [
  ...['user/profile', 'tasks/me', 'challenge-templates', 'user-challenges', 'user-challenges/active'].map(
    (path) => `GET /${path}`,
  ),
  ...['GET /account/export', 'GET /account/completions.csv', 'POST /account/import'],
  ...['me', 'activeChallenge', 'challengeTemplates', 'apiTokens', 'reminderService'].map(
    (name) => `Query.${name}`,
  ),
  ...['signOut', 'signOutEverywhere', 'requestEmailConfirmation', 'connectIdentity'].map(
    (name) => `Mutation.${name}`,
  ),
  'Query.signInService',
  ...['progressChanged', 'challengeChanged'].map((name) => `Subscription.${name}`),
];
