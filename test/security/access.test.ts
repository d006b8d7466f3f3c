import { randomUUID } from 'node:crypto';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { operationsIn } from '../support/api-document.js';
import { withFeed } from '../support/feed.js';
import type { Result } from '../support/live.js';
import { transports } from '../support/transports.js';
import {
  type Answer,
  type RestClient,
  refusal,
  type TestUser,
  type World,
  world,
  worldOf,
} from '../support/world.js';
import {
  addresses,
  creationKeys,
  KINDS,
  keys,
  lists,
  plain,
  type Refers,
  references,
  tokenIds,
  withoutInput,
} from './access-cases.js';

// Everything here is driven by the API document and by the schema as they are served: an endpoint, a
// field or an argument that is new and has no case here fails a test.

interface Operation {
  endpoint: string;
  address: string;
  isOpen: boolean;
  inputs: string[];
}

async function operationsOf(rest: RestClient): Promise<Operation[]> {
  const document = (await rest.get('/api/openapi.json')).body;
  return operationsIn(document).map(({ endpoint, address, parameters, requestBody, security }) => {
    const name = requestBody?.content['application/json'].schema.$ref?.split('/').at(-1);
    const properties = name ? Object.keys(document.components.schemas[name].properties) : [];
    return {
      endpoint,
      address,
      isOpen: security.length === 0,
      inputs: [...parameters.map((parameter: { name: string }) => parameter.name), ...properties],
    };
  });
}

const schemaOf = async ({ graphql }: World): Promise<GraphQLSchema> =>
  buildClientSchema(await graphql.request(getIntrospectionQuery()));

const ownTypes = (schema: GraphQLSchema) =>
  Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));

const fieldsOf = (type: GraphQLObjectType) => Object.values(type.getFields());

/** `Query.task(id)` and `CreateTaskInput.title`: wherever something can be put in. */
const placesIn = (schema: GraphQLSchema): string[] =>
  ownTypes(schema).flatMap((type) => {
    if (isInputObjectType(type)) return Object.keys(type.getFields()).map((name) => `${type.name}.${name}`);
    if (!isObjectType(type)) return [];
    return fieldsOf(type).flatMap((field) =>
      field.args.map(({ name }) => `${type.name}.${field.name}(${name})`),
    );
  });

/** Selects every field there is, without going round in circles. */
const everythingIn = (type: GraphQLObjectType, path: string[] = []): string => {
  const selected = selectionsIn(type, path);
  return selected.length > 0 ? `{ ${selected.join(' ')} }` : '';
};

const selectionsIn = (type: GraphQLObjectType, path: string[] = []): string[] =>
  fieldsOf(type).flatMap((field) => {
    if (field.args.some((argument) => isRequiredArgument(argument) && !(argument.name in GIVEN))) return [];
    const below = getNamedType(field.type);
    if (!isObjectType(below)) return [field.name];
    if (path.includes(below.name) || path.length > 6) return [];
    const inside = everythingIn(below, [...path, type.name]);
    return inside ? [`${field.name}${argumentsOf(field)} ${inside}`] : [];
  });

const GIVEN: Record<string, string> = { from: '"2026-11-20"', to: '"2026-11-22"', period: 'WEEK' };
const argumentsOf = ({ args }: GraphQLField<unknown, unknown>) => {
  const given = args.flatMap(({ name }) =>
    name in GIVEN ? [`${name}: ${GIVEN[name]}`] : name === 'first' ? ['first: 3'] : [],
  );
  return given.length > 0 ? `(${given.join(', ')})` : '';
};

const PAUSE =
  'mutation ($id: ID!, $mark: String) { createPause(input: { taskId: $id, from: "2026-12-01", note: $mark }) { pause { id } } }';
/** By the table: this service has nothing to send by. */
async function hasChannel(database: World['database'], userId: string, mark: string): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into channels (id, user_id, kind, name, host, address, state, created_at)
    values (${id}::uuid, ${userId}::uuid, 'NTFY', ${mark}, 'ntfy', 'topic', 'WORKING', now())`.execute(
    database.query(),
  );
  return id;
}

const LINK =
  'mutation ($id: ID!, $mark: String!) { createCheckInLink(taskId: $id, name: $mark) { link { id } } }';
const CALENDAR =
  'mutation ($mark: String!) { createCalendarFeed(input: { name: $mark }) { calendar { id } } }';
const SKIP =
  'mutation ($id: ID!, $mark: String) { skipDay(taskId: $id, date: "2026-11-22", note: $mark) { date } }';

/** Someone with two of everything, all of it named so that it is known wherever it turns up. */
async function inhabitant(here: World, templateId: number) {
  const { newUser } = here;
  const mark = randomUUID();
  const user = await withFeed(await newUser({ name: mark, email: `${mark}@example.com` }));
  const ended = await user.hasAccepted(templateId + 1);
  await user.rest.put(`/api/user-challenges/${ended.id}/abandon`);
  const active = await user.hasAccepted(templateId);
  await user.rest.put(`/api/user-challenges/${active.id}/notes`, { notes: mark });
  const task = { title: mark, description: mark, challenge_template_id: templateId };
  const tasks = [await user.hasTask(task), await user.hasTask(task)];
  const completions: number[] = [];
  for (const [index, each] of [...tasks, ...tasks].entries()) {
    completions.push((await user.completes(each, { 'idempotency-key': `${mark}-${index}` })).body.id);
  }
  const { createPause } = await user.query(PAUSE, { id: tasks[0]?.id, mark });
  const { everything } = await user.query(
    'mutation ($mark: String) { everything: createPause(input: { from: "2027-01-01", note: $mark }) { pause { id } } }',
    { mark },
  );
  await user.query(SKIP, { id: tasks[1]?.id, mark });
  const links: string[] = [];
  for (const { id } of tasks) {
    const { createCheckInLink } = await user.query(LINK, { id, mark });
    links.push(createCheckInLink.link.id);
  }
  const { createCalendarFeed } = await user.query(CALENDAR, { mark });
  const ids: Record<Refers, (number | string)[]> = {
    task: tasks.map(({ id }) => id),
    challenge: [ended.id, active.id],
    completion: completions,
    template: [templateId],
    pause: [createPause.pause.id, everything.pause.id],
    link: links,
    channel: [await hasChannel(here.database, user.id, mark)],
    calendar: [createCalendarFeed.calendar.id],
  };
  return { user, mark, ids };
}

/** All that is to be read about someone. */
async function everythingOf(user: TestUser, schema: GraphQLSchema): Promise<string> {
  const query = schema.getQueryType() as GraphQLObjectType;
  const answers = [
    // One by one: together they have more words than a document may have.
    ...(await Promise.all(
      selectionsIn(query).map((field) => user.rest.post('/graphql', { query: `{ ${field} }` })),
    )),
    ...(await Promise.all(
      [
        ...['user/profile', 'tasks/me', 'user-challenges', 'user-challenges/active'].map(
          (path) => `/api/${path}`,
        ),
        '/account/completions.csv',
      ].map((path) => user.rest.get(path)),
    )),
  ];
  for (const { status, body } of answers) expect([status, body?.errors]).toEqual([200, undefined]);
  return answers.map(({ text }) => text).join('\n');
}

const HERE = 'test/security/access-cases.ts';
const known = [
  ...Object.keys(references),
  ...Object.keys(keys),
  ...Object.keys(creationKeys),
  ...Object.keys(lists),
  ...plain,
  ...tokenIds,
  ...addresses,
];

/** Says which case is missing, and where it is to be written; or which one speaks of what is gone. */
function expectCases(endpoints: string[], cases: string[], table: string): void {
  const missing = endpoints.filter((endpoint) => !cases.includes(endpoint));
  const left = cases.filter((endpoint) => !endpoints.includes(endpoint));
  const lines = [
    ...missing.map((endpoint) => `${endpoint} has no case: write it in ${HERE}, in ${table}`),
    ...left.map((endpoint) => `${endpoint} is not served any more: take its case out of ${HERE}`),
  ];
  expect(lines, lines.join('\n')).toEqual([]);
}

describe('Every place where something can be put in', () => {
  it('has a case in access-cases.ts, on both APIs', async () => {
    const here = await world();
    const inRest = (await operationsOf(here.rest)).flatMap(({ endpoint, inputs }) =>
      inputs.map((input) => `${endpoint} ${input}`),
    );
    const inGraphql = placesIn(await schemaOf(here));
    expectCases([...inRest, ...inGraphql], known, '`references`, `keys`, `creationKeys`, `lists` or `plain`');
    expect(new Set(known).size).toBe(known.length);
  });
});

describe('Every route, query, mutation and subscription', () => {
  it('has a case in access-cases.ts', async () => {
    const here = await world();
    const schema = await schemaOf(here);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) =>
      root ? fieldsOf(root).map(({ name }) => `${root.name}.${name}`) : [],
    );
    const routes = (await operationsOf(here.rest)).map(({ endpoint }) => endpoint);
    const takingInput = known
      .map((place) => place.replace(/\(.*/, '').replace(/^([A-Z]+ \S+) .*/, '$1'))
      .filter((place) => [...fields, ...routes].includes(place));
    expectCases([...routes, ...fields], [...new Set([...takingInput, ...withoutInput])], '`withoutInput`');
  });
});

/** How one gets in, and what a link is good for: without a token of a session. */
const OPEN = [
  'signUp',
  'logIn',
  'requestPasswordReset',
  'resetPassword',
  'confirmEmail',
  'undoEmailChange',
  'exchangeLogIn',
];

const TOLD_TO_ALL = ['signInService'];

describe('Without a token', () => {
  it('every endpoint but sign-up and log-in is answered 401', async () => {
    const { rest } = await world();
    const operations = await operationsOf(rest);
    const open = operations.filter(({ isOpen }) => isOpen).map(({ endpoint }) => endpoint);
    expect(open.sort()).toEqual([
      ...['GET /check-in/{token}', 'POST /auth/login', 'POST /auth/signup'],
      ...['POST /check-in/{token}', 'POST /check-in/{token}/undo'],
    ]);
    for (const { endpoint, address } of operations.filter(({ isOpen }) => !isOpen)) {
      const answer = await rest.send(endpoint.split(' ')[0] ?? '', address.replace(/\{\w+\}/, '1'));
      expect(answer, endpoint).toEqual(refusal(401, 'User not authenticated'));
    }
  });

  it.each(transports)('every field but sign-up and log-in is refused, over %s', async (_way, ask) => {
    const here = await world();
    const schema = await schemaOf(here);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const asked: string[] = [];
    for (const root of roots.filter((type) => type !== null && type !== undefined)) {
      for (const field of fieldsOf(root)) {
        if (root.name === 'Subscription' && ask === transports[0]?.[1]) continue; // one answer is not enough
        const query = `${root.name.toLowerCase()} { ${field.name}${dummyArguments(field)} { __typename } }`;
        const { errors, data } = await ask(here.base, { query });
        if (TOLD_TO_ALL.includes(field.name)) continue;
        const isOpen = OPEN.includes(field.name);
        const message = /^User not authenticated: send (the header Authorization|connectionParams)/;
        expect(errors, query).toMatchObject([
          { message: isOpen ? expect.not.stringMatching(message) : expect.stringMatching(message) },
        ]);
        expect(data?.[field.name] ?? null).toBeNull();
        asked.push(field.name);
      }
    }
    expect(asked.length).toBeGreaterThan(20);
  });

  const dummyField = ({ name, type }: { name: string; type: GraphQLInputType }): string => {
    const named = getNamedType(type);
    if (isEnumType(named)) return `${name}: ${named.getValues()[0]?.name}`;
    if (!isInputObjectType(named)) return `${name}: ${named.name === 'Date' ? '"2026-11-21"' : '""'}`;
    const fields: GraphQLInputField[] = Object.values(named.getFields());
    const needed = fields.filter(isRequiredInputField);
    const given = needed.length > 0 || !/ReceiverInput/.test(named.name) ? needed : fields.slice(0, 1);
    return `${name}: { ${given.map(dummyField)} }`;
  };

  /** What the types ask for, and the rules refuse wherever there are any. */
  const dummyArguments = ({ args }: GraphQLField<unknown, unknown>) => {
    const given = args.filter(isRequiredArgument).map(dummyField);
    return given.length > 0 ? `(${given.join(', ')})` : '';
  };
});

describe("Another user's", () => {
  it('data are nowhere in what a user can read', async () => {
    const here = await world();
    const schema = await schemaOf(here);
    const [ana, bea] = [await inhabitant(here, 1), await inhabitant(here, 3)];
    const read = await everythingOf(ana.user, schema);
    expect(read).toContain(ana.mark);
    expect(read).not.toContain(bea.mark);
    expect(read).not.toContain(bea.user.id);
  });

  it.each(KINDS)('ids are refused where one of a %s is asked for, and change nothing', async (kind) => {
    const here = await world();
    const schema = await schemaOf(here);
    const [ana, bea] = [await inhabitant(here, 1), await inhabitant(here, 3)];
    const everything = async () => [
      await everythingOf(ana.user, schema),
      await everythingOf(bea.user, schema),
    ];
    const before = await everything();

    // Of the right type, and of any other: whatever has that number, it is not what Ana may name there.
    const foreign = [...Object.values(bea.ids), ...Object.values(ana.ids)].flat();
    const places = Object.entries(references).filter(([, { to }]) => to === kind);
    const asked = places.map(async ([place, { ask }]) => {
      for (const id of foreign.filter((each) => !ana.ids[kind].includes(each))) {
        const answer = await ask(ana.user, id);
        const isRefused = answer.status === 400 || answer.status === 404;
        const { data, errors } = answer.body;
        const isNothing = Object.values(data ?? {}).every((value) => value === null);
        expect(isRefused || isNothing, `${place}: ${answer.text}`).toBe(true);
        for (const { extensions } of errors ?? [])
          expect(['NOT_FOUND', 'BAD_USER_INPUT'], place).toContain(extensions.code);
        expect(answer.text).not.toContain(bea.mark);
      }
    });
    await Promise.all(asked);
    expect(await everything()).toEqual(before);
  });

  it.each(Object.entries(creationKeys))(
    'idempotency keys of tasks are as good as new: %s',
    async (_place, ask) => {
      const { ana, ben } = await worldOf('ana', 'ben');
      const idIn = ({ body }: Answer) => body.data.createTask.task.id;
      const his = await ask(ben, 'morning');
      const hers = await ask(ana, 'morning');
      expect(hers.text).not.toMatch(/"errors"|"error"|"isReplayed":true/);
      expect(hers.headers.get('idempotent-replayed')).toBeNull();
      expect(idIn(hers)).not.toBe(idIn(his));
      expect((await ana.rest.get('/api/tasks/me')).body).toHaveLength(1);
    },
  );

  it.each(Object.entries(keys))('idempotency keys are as good as new: %s', async (_place, ask) => {
    const here = await world();
    const [ana, bea] = [await inhabitant(here, 1), await inhabitant(here, 3)];
    const task = Number(ana.ids.task[0]);
    const answer = await ask(ana.user, task, `${bea.mark}-0`);
    expect(answer.text).not.toMatch(/"errors"|"error"|"isReplayed":true/);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    const { completion = answer.body } = answer.body.data?.completeTask ?? {};
    expect(bea.ids.completion).not.toContain(Number(completion.id));
    expect(completion.user_id ?? ana.user.id).toBe(ana.user.id);
    expect(Number(completion.task_id ?? completion.task.id)).toBe(task);
  });
});

describe("Another user's cursor", () => {
  interface Connection {
    edges: { cursor: string; node: { id: string } }[];
    totalCount: number;
  }

  const connectionIn = (value: Result): Connection =>
    value.edges ? value : connectionIn(Array.isArray(value) ? value[0] : Object.values(value)[0]);

  const pageOf = async ({ rest }: TestUser, list: string, after?: string) => {
    const query = `query ($after: String) { ${list} }`;
    const { body } = await rest.post('/graphql', { query, variables: { after } });
    return body.errors ? { errors: body.errors } : connectionIn(body.data);
  };

  const firstCursor = async (user: TestUser, list: string) => {
    const page = await pageOf(user, list);
    return 'edges' in page ? (page.edges[0]?.cursor ?? '') : '';
  };

  const refused = {
    errors: [
      {
        message: '`after` must be a cursor of this list, asked for with the same arguments',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ],
  };

  it.each(Object.entries(lists))('is refused, as is that of another list: %s', async (_place, list) => {
    const here = await world();
    const [ana, bea] = [await inhabitant(here, 1), await inhabitant(here, 3)];
    const own = await firstCursor(ana.user, list);
    expect(await pageOf(ana.user, list, own)).toMatchObject({ edges: [{ node: {} }] });
    for (const other of Object.values(lists)) {
      expect(await pageOf(ana.user, list, await firstCursor(bea.user, other)), other).toMatchObject(refused);
      if (other === list) continue;
      expect(await pageOf(ana.user, list, await firstCursor(ana.user, other)), other).toMatchObject(refused);
    }
    expect(await pageOf(ana.user, list, own.repeat(1_000))).toMatchObject(refused);
  });

  it.each(Object.entries(lists))(
    'that was made to look like the caller’s own shows the caller’s rows only: %s',
    async (_place, list) => {
      const here = await world();
      const ana = await inhabitant(here, 1);
      const bea = await inhabitant(here, 3);
      const own = new Set<string>();
      for (let after: string | undefined; ; ) {
        const page = await pageOf(ana.user, list, after);
        const [edge] = 'edges' in page ? page.edges : [];
        if (!edge) break;
        own.add(edge.node.id);
        after = edge.cursor;
      }
      const partsOf = async (user: TestUser) =>
        Buffer.from(await firstCursor(user, list), 'base64url')
          .toString()
          .split(' ');
      const [mine, theirs] = [await partsOf(ana.user), await partsOf(bea.user)];
      const forged = Buffer.from([...mine.slice(0, -2), ...theirs.slice(-2)].join(' ')).toString('base64url');
      const page = await pageOf(ana.user, list, forged);
      expect(page).toMatchObject({ totalCount: own.size });
      for (const { node } of 'edges' in page ? page.edges : []) expect(own).toContain(node.id);
    },
  );
});
