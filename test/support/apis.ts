import { expect } from 'vitest';
import type { Result } from './live.js';
import { world as newWorld, peopleIn, type RestClient, type TestUser, type WorldOptions } from './world.js';

// One test for a promise of both APIs, run on each. Here requests, answers (with GraphQL's names, ids as text) and
// refusals have one form. What only one API promises is tested on that API.

export const apis = ['REST', 'GraphQL'] as const;
export type Api = (typeof apis)[number];

export type Given = Record<string, unknown>;

/** What is answered about one thing. */
export interface Row {
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  [field: string]: any;
}

type Named = Pick<Row, 'id'>;

/** The actions of a user, on either API. A refusal of the service is thrown as `Refused`. */
export type Acting = ReturnType<typeof overRest>;

export const endings = ['COMPLETED', 'ABANDONED'] as const;
type Ending = (typeof endings)[number];

type Kind = 'unauthenticated' | 'invalid' | 'missing' | 'throttled' | 'unavailable';

/** A refusal of the service. */
export class Refused extends Error {
  constructor(
    readonly kind: Kind,
    message: string,
  ) {
    super(message);
  }
}

export const refused = (kind: Kind, message: unknown = expect.any(String)) =>
  expect.objectContaining({ name: 'Error', kind, message });

const statuses: Record<number, Kind> = {
  400: 'invalid',
  401: 'unauthenticated',
  404: 'missing',
  429: 'throttled',
  503: 'unavailable',
};

const codes: Record<string, Kind> = {
  BAD_USER_INPUT: 'invalid',
  UNAUTHENTICATED: 'unauthenticated',
  NOT_FOUND: 'missing',
  TOO_MANY_REQUESTS: 'throttled',
  SERVICE_UNAVAILABLE: 'unavailable',
};

const inWords = (key: string) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
/** `newPassword` is the one name in a body that REST does not write in snake_case. */
const inSnakes = (key: string) =>
  key === 'newPassword' ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const isId = (key: string) => key === 'id' || key.endsWith('_id');

// biome-ignore lint/suspicious/noExplicitAny: a body of any shape becomes what the caller says it is
function inGraphql(value: any): any {
  if (Array.isArray(value)) return value.map(inGraphql);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      inWords(key),
      isId(key) && part !== null ? String(part) : inGraphql(part),
    ]),
  );
}

const inRest = (given: Given) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [inSnakes(key), value]));

export function overRest(rest: Pick<RestClient, 'send'>) {
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await rest.send(method, `/api/${path}`, body, headers);
    if (answer.status < 300) return { ...answer, body: inGraphql(answer.body) };
    const kind = statuses[answer.status];
    if (!kind) throw new Error(`${method} ${path} was answered ${answer.status}: ${answer.text}`);
    expect(Object.keys(answer.body)).toEqual(['error']);
    throw new Refused(kind, answer.body.error);
  };
  const get = async (path: string) => (await send('GET', path)).body;
  const post = async (path: string, body: Given): Promise<Row> => (await send('POST', path, body)).body;
  const put = async (path: string, body?: Given): Promise<Row> => (await send('PUT', path, body)).body;
  const challenge = (id: string) => `user-challenges/${encodeURIComponent(id)}`;
  const withoutUser = ({ userId: _, ...others }: Row) => others as Row;
  return {
    signsUp: (account: Given) => post('auth/signup', account),
    logsIn: (credentials: Given) => post('auth/login', credentials),
    profile: (): Promise<Row> => get('user/profile'),
    changesProfile: (changes: Given) => put('user/profile', inRest(changes)),
    createsTask: async (task?: Given) => withoutUser(await post('tasks', inRest({ title: 'Swim', ...task }))),
    changesTask: async ({ id }: Named, changes: Given) =>
      withoutUser(await put(`tasks/${encodeURIComponent(id)}`, inRest(changes))),
    /** All of them, in the order of the list. */
    tasks: async (): Promise<Row[]> =>
      (await get('tasks/me')).map(({ task, completionCount }: Row) => ({
        ...withoutUser(task),
        completionCount,
      })),
    /** `isReplayed`: it is the first completion of its key, found again. */
    completes: async ({ id }: Named, key?: string): Promise<Row> => {
      const sent: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
      const { body, headers } = await send('POST', 'task-completions', { task_id: Number(id) }, sent);
      return { ...withoutUser(body), isReplayed: headers.get('idempotent-replayed') === 'true' };
    },
    templates: (): Promise<Row[]> => get('challenge-templates'),
    accepts: async (templateId = 1) => withoutUser(await post('user-challenges/accept', { templateId })),
    ends: async ({ id }: Named, as: Ending) =>
      withoutUser(await put(`${challenge(id)}/${as === 'COMPLETED' ? 'complete' : 'abandon'}`)),
    notes: async ({ id }: Named, notes: string) =>
      withoutUser(await put(`${challenge(id)}/notes`, { notes })),
    /** All of them, in the order of the list. */
    challenges: async (): Promise<Row[]> => (await get('user-challenges')).map(withoutUser),
    activeChallenge: async (): Promise<Row | null> => {
      const active = await get('user-challenges/active');
      return active && withoutUser(active);
    },
  };
}

const PROFILE = 'id name email profilePicture points currentStreak maxStreak createdAt updatedAt';
const SIGNED_IN = 'token user { id name email points currentStreak maxStreak }';
const TASK = 'id title description points isDailyRoutine challengeTemplate { id } createdAt updatedAt';
const SHOWN_TEMPLATE = 'template { id title description durationDays }';
const CHALLENGE = 'id status completedAt notes createdAt updatedAt';

const formOfTask = ({ challengeTemplate, ...task }: Row): Row => ({
  ...task,
  challengeTemplateId: challengeTemplate?.id ?? null,
});
const formOfChallenge = (challenge: Row): Row => ({
  ...challenge,
  startDate: challenge.createdAt,
  templateId: challenge.template.id,
});

/** `password` is that of the account, which is asked for where it or the e-mail address changes. */
export function overGraphql(
  send: (query: string, variables: Given) => Promise<Result>,
  password?: string,
): Acting {
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape becomes what the caller says it is
  const ask = async (document: string, variables: Given = {}): Promise<any> => {
    const { data, errors = [] } = await send(document, variables);
    const [fault, ...more] = errors;
    if (!fault) return Object.values(data)[0];
    const kind = codes[String(fault.extensions?.code)];
    if (!kind || more.length > 0) throw new Error(`${document} was answered ${JSON.stringify(errors)}`);
    throw new Refused(kind, fault.message);
  };
  const input = (field: string, type: string, selection: string) => {
    const document = `mutation ($input: ${type}!) { ${field}(input: $input) { ${selection} } }`;
    return (given: Given) => ask(document, { input: given });
  };
  const all = async (list: string, row: string): Promise<Row[]> => {
    const document = `query ($after: String) {
      ${list}(first: 100, after: $after) { nodes { ${row} } pageInfo { hasNextPage endCursor } }
    }`;
    const rows: Row[] = [];
    for (let page: Row['page'] = {}; page.pageInfo?.hasNextPage ?? true; ) {
      page = await ask(document, { after: page.pageInfo?.endCursor ?? null });
      rows.push(...page.nodes);
    }
    return rows;
  };
  const challenge = async (field: string, variables: Given, declared: string, given: string) => {
    const document = `mutation (${declared}) {
      ${field}(${given}) { challenge { ${CHALLENGE} ${SHOWN_TEMPLATE} } }
    }`;
    const { template: _, ...own } = formOfChallenge((await ask(document, variables)).challenge);
    return own as Row;
  };
  const signUp = input('signUp', 'SignUpInput', SIGNED_IN);
  const logIn = input('logIn', 'LogInInput', SIGNED_IN);
  const updateProfile = input('updateProfile', 'UpdateProfileInput', `user { ${PROFILE} }`);
  const changeEmail = input('changeEmail', 'ChangeEmailInput', `user { ${PROFILE} }`);
  const changePassword = input('changePassword', 'ChangePasswordInput', `user { ${PROFILE} }`);
  let currentPassword = password;
  const createTask = input('createTask', 'CreateTaskInput', `task { ${TASK} }`);
  return {
    signsUp: signUp,
    logsIn: logIn,
    profile: () => ask(`{ me { ${PROFILE} } }`),
    changesProfile: async ({ email, newPassword, ...others }) => {
      let changed: Row['changed'];
      if (email !== undefined) changed = await changeEmail({ currentPassword, newEmail: email });
      if (newPassword !== undefined) {
        changed = await changePassword({ currentPassword, newPassword });
        currentPassword = String(newPassword);
      }
      if (!changed || Object.keys(others).length > 0) changed = await updateProfile(others);
      return changed.user;
    },
    createsTask: async (task) => formOfTask((await createTask({ title: 'Swim', ...task })).task),
    changesTask: async ({ id }, changes) => {
      const document = `mutation ($id: ID!, $input: UpdateTaskInput!) {
        updateTask(id: $id, input: $input) { task { ${TASK} } }
      }`;
      return formOfTask((await ask(document, { id, input: changes })).task);
    },
    tasks: async () => (await all('tasks', `${TASK} completionCount`)).map(formOfTask),
    completes: async ({ id }, key) => {
      const document = `mutation ($id: ID!, $key: String) {
        completeTask(taskId: $id, idempotencyKey: $key) {
          completion { id completedAt task { id } } isReplayed
        }
      }`;
      const { completion, isReplayed } = await ask(document, { id, key });
      const { task, ...own } = completion;
      return { ...own, taskId: task.id, isReplayed };
    },
    templates: () => ask('{ challengeTemplates { id title description durationDays createdAt updatedAt } }'),
    accepts: (id = 1) => challenge('acceptChallenge', { id }, '$id: ID!', 'templateId: $id'),
    ends: ({ id }, as) =>
      challenge(as === 'COMPLETED' ? 'completeChallenge' : 'abandonChallenge', { id }, '$id: ID!', 'id: $id'),
    notes: ({ id }, notes) =>
      challenge('updateChallengeNotes', { id, notes }, '$id: ID!, $notes: String!', 'id: $id, notes: $notes'),
    challenges: async () => (await all('challenges', `${CHALLENGE} ${SHOWN_TEMPLATE}`)).map(formOfChallenge),
    activeChallenge: async () => {
      const active = await ask(`{ activeChallenge { ${CHALLENGE} ${SHOWN_TEMPLATE} } }`);
      return active && formOfChallenge(active);
    },
  };
}

/** Someone with an account who keeps to one API. */
export type Person = Acting & Pick<TestUser, 'id' | 'account' | 'token'>;

/** A running service as whoever keeps to one API knows it. */
export async function world(api: Api, options?: WorldOptions) {
  const here = await newWorld(options);
  const over = (rest: RestClient, password?: string) =>
    api === 'REST'
      ? overRest(rest)
      : overGraphql(
          async (query, variables) => (await rest.post('/graphql', { query, variables })).body,
          password,
        );
  const personOf = (user: TestUser): Person => {
    const { id, account, token } = user;
    return { ...over(user.rest, account.password), id, account, token };
  };
  return {
    clock: here.clock,
    database: here.database,
    newUser: async (given?: Parameters<typeof here.newUser>[0]) => personOf(await here.newUser(given)),
    /** The same user with a token of this moment: tokens end after 30 days, stories may not. */
    renewed: (person: Person) => personOf(here.renewed(person as unknown as TestUser)),
    /** Whoever has no account yet, or sends whatever token. */
    stranger: (token = '') => over(here.rest.as(token)),
  };
}

/** The same, and people who have an account there. */
export async function worldOf<Name extends string>(api: Api, ...names: Name[]) {
  const here = await world(api);
  return { ...here, ...(await peopleIn(() => here.newUser(), names)) };
}
