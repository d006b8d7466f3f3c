import { type Answer, type TestUser } from '../support/world.js';

// For access.test.ts: the cases of every place where something can be put in, and of every field without input.

export const KINDS = [
  'task',
  'challenge',
  'completion',
  'template',
  'pause',
  'link',
  'channel',
  'calendar',
] as const;
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
    'mutation ($id: ID!) { deleteTask(id: $id) { deletedId user { points } } }',
  ),
  'Mutation.moveTask(id)': graphql(
    'task',
    'mutation ($id: ID!) { moveTask(id: $id, behindTaskId: null) { task { id title } } }',
  ),
  'Mutation.moveTask(behindTaskId)': {
    to: 'task',
    ask: async (ana, id) => {
      const { tasks } = await ana.query('{ tasks(first: 1) { nodes { id } } }');
      const query =
        'mutation ($own: ID!, $id: ID!) { moveTask(id: $own, behindTaskId: $id) { task { id } } }';
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
  'CreatePauseInput.taskId': graphql(
    'task',
    'mutation ($id: ID!) { createPause(input: { taskId: $id, from: "2026-11-21" }) { pause { id } user { points } } }',
  ),
  'Mutation.updatePause(id)': graphql(
    'pause',
    'mutation ($id: ID!) { updatePause(id: $id, input: { until: "2026-11-20" }) { pause { id } user { points } } }',
  ),
  'Mutation.deletePause(id)': graphql(
    'pause',
    'mutation ($id: ID!) { deletePause(id: $id) { deletedId user { points } } }',
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
  'Mutation.deleteChannel(id)': graphql(
    'channel',
    'mutation ($id: ID!) { deleteChannel(id: $id) { deletedId } }',
  ),
  'Mutation.testChannel(id)': graphql(
    'channel',
    'mutation ($id: ID!) { testChannel(id: $id) { isDelivered } }',
  ),
  'Mutation.deleteCheckInLink(id)': graphql(
    'link',
    'mutation ($id: ID!) { deleteCheckInLink(id: $id) { deletedId } }',
  ),
  'Mutation.deleteCalendarFeed(id)': graphql(
    'calendar',
    'mutation ($id: ID!) { deleteCalendarFeed(id: $id) { deletedId } }',
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
      completeTask(taskId: $id, idempotencyKey: $key) { isReplayed completion { id task { id } } }
    }`;
    return ana.rest.post('/graphql', { query, variables: { id, key } });
  },
  'CompletionInput.idempotencyKey': async (ana, id, key) => {
    const query = `mutation ($id: ID!, $key: String!) {
      completeTasks(input: [{ taskId: $id, idempotencyKey: $key }]) {
        results { isReplayed completion { id task { id } } }
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
      createTask(input: { title: "Swim" }, idempotencyKey: $key) { isReplayed task { id } }
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
  ...['GET /challenge-templates/{id} id', 'POST /account/import into'],
  'POST /user-challenges/accept templateId',
  'PUT /user-challenges/{id}/notes notes',
  'Query.challengeTemplate(id)',
  // Cursors of other feeds are tried by test/event-feed/feed.test.ts.
  ...[
    'Query.events(first)',
    'Query.events(after)',
    'Subscription.events(after)',
    'UpdateProfileInput.eventFeed',
  ],
  'Mutation.addChannel(input)',
  ...['Mutation.createWebhook(input)', 'Mutation.updateWebhook(input)', 'Mutation.resumeWebhook(after)'],
  'Webhook.deliveries(first)',
  ...['CreateWebhookInput', 'UpdateWebhookInput'].flatMap((input) =>
    ['url', 'name', 'kinds'].map((name) => `${input}.${name}`),
  ),
  ...['name', 'receiver'].map((name) => `AddChannelInput.${name}`),
  ...['push', 'ntfy', 'apprise'].map((name) => `ReceiverInput.${name}`),
  ...['changePassword', 'changeEmail', 'createPause', 'updatePause'].map((name) => `Mutation.${name}(input)`),
  ...['currentPassword', 'newPassword'].map((name) => `ChangePasswordInput.${name}`),
  ...['currentPassword', 'newEmail'].map((name) => `ChangeEmailInput.${name}`),
  ...['endpoint', 'p256dh', 'auth'].map((name) => `PushInput.${name}`),
  ...['NtfyInput.topic', 'NtfyInput.token', 'AppriseInput.urls', 'UpdateProfileInput.dayReminder'],
  ...['ReminderInput.at', 'ReminderInput.weekdays'],
  ...['CreateTaskInput.reminders', 'UpdateTaskInput.reminders'],
  ...['amount', 'key'].map((name) => `POST /check-in/{token} ${name}`),
  ...['name', 'amount'].map((name) => `Mutation.createCheckInLink(${name})`),
  'Mutation.createCalendarFeed(input)',
  ...['name', 'tag', 'section', 'links'].map((name) => `CreateCalendarFeedInput.${name}`),
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
  ...['moveTask(section)', 'renameSection(name)', 'renameSection(newName)'].map(
    (place) => `Mutation.${place}`,
  ),
  'Mutation.updateCompletionNote(note)',
  ...['skipDay(date)', 'skipDay(note)', 'unskipDay(date)'].map((place) => `Mutation.${place}`),
  ...['CreatePauseInput', 'UpdatePauseInput'].flatMap((input) =>
    ['from', 'until', 'note'].map((name) => `${input}.${name}`),
  ),
  ...['Mutation.acceptChallenge(templateId)', 'Mutation.updateChallengeNotes(notes)'],
  ...['CreateTaskInput', 'UpdateTaskInput'].flatMap((input) =>
    [
      ...['title', 'points', 'description', 'isDailyRoutine'],
      ...['schedule', 'hasGraceDay', 'target', 'step', 'colour', 'icon', 'tags', 'section'],
    ].map((name) => `${input}.${name}`),
  ),
  ...['everyDay', 'weekdays', 'everyDays', 'timesPer'].map((name) => `ScheduleInput.${name}`),
  ...['TimesPerInput.count', 'TimesPerInput.period', 'TargetInput.amount', 'TargetInput.unit'],
  ...['TargetInput.kind', 'TargetInput.per'],
  ...['name', 'email', 'password'].map((name) => `SignUpInput.${name}`),
  ...['email', 'password'].map((name) => `LogInInput.${name}`),
  ...['name', 'scopes', 'expiresAt'].map((name) => `CreateApiTokenInput.${name}`),
  ...['name', 'profilePicture', 'timeZone', 'dayStartsAt', 'weekStartsOn', 'language'].map(
    (name) => `UpdateProfileInput.${name}`,
  ),
];

/** Not by an id: test/check-in tries the addresses of others and of none. */
export const addresses = [
  'GET /check-in/{token}',
  'POST /check-in/{token}',
  'POST /check-in/{token}/undo',
].map((endpoint) => `${endpoint} token`);

/**
 * Not by a number: test/accounts/api-tokens.test.ts, test/sign-in/oidc.test.ts and test/webhooks/webhooks.test.ts try
 * them.
 */
export const tokenIds = [
  ...['Mutation.deleteApiToken(id)', 'Mutation.deleteIdentity(id)', 'UpdateWebhookInput.id'],
  ...['deleteWebhook', 'testWebhook', 'resumeWebhook'].map((name) => `Mutation.${name}(id)`),
];

/** Places where nothing is put in, or a file without ids of ours: whose data they show is tested below, by all that somebody can read. */
export const withoutInput = [
  ...['user/profile', 'tasks/me', 'challenge-templates', 'user-challenges', 'user-challenges/active'].map(
    (path) => `GET /${path}`,
  ),
  ...['GET /account/export', 'GET /account/completions.csv'],
  ...['me', 'activeChallenge', 'challengeTemplates', 'apiTokens', 'reminderService'].map(
    (name) => `Query.${name}`,
  ),
  ...['signOut', 'signOutEverywhere', 'requestEmailConfirmation', 'connectIdentity'].map(
    (name) => `Mutation.${name}`,
  ),
  'Query.signInService',
  ...['progressChanged', 'challengeChanged'].map((name) => `Subscription.${name}`),
];
