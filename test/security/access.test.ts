import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { inhabitant } from '../support/inhabitant.js';
import type { Result } from '../support/live.js';
import {
  type Asker,
  graphqlOperations,
  type Operation,
  type Place,
  plainRequest,
  requestWith,
  restOperations,
  send,
} from '../support/operations.js';
import { transports } from '../support/transports.js';
import { refusal, type TestUser, type World, world } from '../support/world.js';

// What is asked here is made from the API document and the schema: what is new is tried as well.

const rest = restOperations();
const graphql = graphqlOperations();
const operations = [...rest, ...graphql];

const nobody: Asker = { idOf: () => 1, email: () => 'nobody@example.com' };

/** How one gets in, and what a link is good for: without a token of a session. */
const OPEN = [
  ...['signUp', 'logIn', 'requestPasswordReset', 'resetPassword', 'confirmEmail', 'undoEmailChange'],
  'exchangeLogIn',
].map((name) => `Mutation.${name}`);

const TOLD_TO_ALL = 'Query.signInService';

describe('Without a token', () => {
  it('every endpoint but sign-up and log-in is answered 401', async () => {
    const here = await world();
    const open = rest.filter(({ isOpen }) => isOpen).map(({ name }) => name);
    expect(open.sort()).toEqual(['POST /auth/login', 'POST /auth/signup']);
    for (const operation of rest.filter(({ isOpen }) => !isOpen))
      expect(await send(here.rest, plainRequest(operation, nobody)), operation.name).toEqual(
        refusal(401, 'User not authenticated'),
      );
    for (const path of ['/account/export', '/account/completions.csv'])
      expect(await here.rest.get(path)).toEqual(refusal(401, 'User not authenticated'));
  });

  it.each(transports)('every field but sign-up and log-in is refused, over %s', async (_way, ask) => {
    const { base } = await world();
    const message = /^User not authenticated: send (the header Authorization|connectionParams)/;
    for (const operation of graphql) {
      const { name } = operation;
      // HTTP has no subscriptions, and an event stream is the same HTTP.
      const passesOver = transports[name.startsWith('Subscription') ? 0 : 1]?.[1];
      if (name === TOLD_TO_ALL || ask === passesOver) continue;
      const { errors, data } = await ask(base, JSON.parse(plainRequest(operation, nobody).body ?? ''));
      const told = OPEN.includes(name) ? expect.not.stringMatching(message) : expect.stringMatching(message);
      if (errors || !OPEN.includes(name)) expect(errors, name).toMatchObject([{ message: told }]);
      if (!OPEN.includes(name)) expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true);
    }
  });
});

type Inhabitant = Awaited<ReturnType<typeof inhabitant>>;

async function two(here: World): Promise<[Inhabitant, Inhabitant]> {
  const named = () => here.newUser({ name: crypto.randomUUID() });
  return [await inhabitant(here, await named(), 1), await inhabitant(here, await named(), 3)];
}

/** All that is to be read about someone. */
async function everythingOf({ user, asker }: Inhabitant): Promise<string> {
  const reads = operations.filter(({ name }) => /^(GET |Query\.)/.test(name));
  const answers = [
    ...(await Promise.all(reads.map((each) => send(user.rest, plainRequest(each, asker))))),
    await user.rest.get('/account/completions.csv'),
  ];
  for (const { status, body, text } of answers)
    expect([status, body?.errors], text).toEqual([200, undefined]);
  return answers.map(({ text }) => text).join('\n');
}

/** Templates are everybody's. */
const OF_ALL = [
  'GET /challenge-templates/{id}',
  'POST /user-challenges/accept',
  'Query.challengeTemplate',
  'Mutation.acceptChallenge',
];

const idPlaces = operations
  .filter(({ name }) => !OF_ALL.includes(name))
  .flatMap((operation) =>
    operation.places.flatMap((place) =>
      [place, ...place.fields]
        .filter(({ kind }) => kind !== undefined)
        .map((field): [string, Operation, Place, Place] => [
          `${operation.name}(${place === field ? '' : `${place.name}.`}${field.name})`,
          operation,
          place,
          field,
        ]),
    ),
  );

/** Whether an answer holds nothing but that there is nothing. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).every(([key, each]) => ['__typename', 'error'].includes(key) || isEmpty(each))
    : value === null || value === 0 || value === false;

describe("Another user's", () => {
  it('data are nowhere to be read, and ids are refused wherever an id is taken, and change nothing', async () => {
    const [ana, bea] = await two(await world());
    const everything = async () => [await everythingOf(ana), await everythingOf(bea)] as const;
    const before = await everything();
    expect(before[0]).toContain(ana.mark);
    expect(before[0]).not.toContain(bea.mark);
    expect(before[0]).not.toContain(bea.user.id);
    expect(idPlaces.length).toBeGreaterThan(30);
    for (const [name, operation, place, field] of idPlaces)
      for (const id of [...(bea.ids[field.kind ?? ''] ?? []), ...(bea.ids.link ?? [])].slice(0, 2)) {
        const put = name.includes(' /') ? id : String(id);
        const answer = await send(ana.user.rest, requestWith(operation, ana.asker, place, field, put));
        const { data, errors = [] } = answer.body;
        const isRefused = answer.status === 400 || answer.status === 404;
        const shown = data?.completeTasks?.results ?? data; // and whose they are
        expect(isRefused || isEmpty(shown), `${name}: ${answer.text}`).toBe(true);
        for (const { extensions } of errors)
          expect(['NOT_FOUND', 'BAD_USER_INPUT'], name).toContain(extensions.code);
        expect(answer.text, name).not.toContain(bea.mark);
      }
    expect(await everything()).toEqual(before);
  });

  it('idempotency keys are as good as new', async () => {
    const [ana, bea] = await two(await world());
    const task = Number(ana.ids.task?.[0]);
    const KEY = 'isReplayed completion { id task { id } }';
    const ask = (field: string, key: string) =>
      ana.user.query(`mutation ($id: ID!, $key: String!) { ${field} }`, { id: task, key });
    const make =
      'mutation { createTask(input: { title: "Swim" }, idempotencyKey: "morning") { isReplayed task { id } } }';
    const [his, hers] = [await bea.user.query(make), await ana.user.query(make)];
    expect(hers.createTask.isReplayed).toBe(false);
    expect(hers.createTask.task.id).not.toBe(his.createTask.task.id);
    const { body } = await ana.user.completes({ id: task }, { 'idempotency-key': `${bea.mark}-0` });
    const one = `completeTask(taskId: $id, idempotencyKey: $key) { ${KEY} }`;
    const many = `completeTasks(input: [{ taskId: $id, idempotencyKey: $key }]) { results { ${KEY} } }`;
    const { completeTask } = await ask(one, `${bea.mark}-1`);
    const { completeTasks } = await ask(many, `${bea.mark}-2`);
    const done = [completeTask, completeTasks.results[0]];
    for (const { isReplayed, completion } of done)
      expect([isReplayed, completion.task.id]).toEqual([false, String(task)]);
    for (const { id } of [body, ...done.map(({ completion }) => completion)])
      expect(bea.ids.completion).not.toContain(Number(id));
  });
});

const PAGE = '(first: 1, after: $after) { edges { cursor node { id } } totalCount }';
/** Where a cursor is put in; each shows a list of the caller's. */
const lists: Record<string, string> = {
  'Query.tasks': `tasks${PAGE}`,
  'Query.completions': `completions${PAGE}`,
  'Query.challenges': `challenges${PAGE}`,
  'Task.completions': `tasks(first: 1) { nodes { completions${PAGE} } }`,
  'Challenge.tasks': `activeChallenge { tasks${PAGE} }`,
};

it('Every list with cursors is tried below; test/event-feed/feed.test.ts tries those of feeds', () => {
  const taking = Object.values(declaredSchema().getTypeMap())
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ args }) => args.some(({ name }) => name === 'after'))
        .map(({ name }) => `${type.name}.${name}`),
    );
  const ofFeeds = ['Query.events', 'Subscription.events', 'Mutation.resumeWebhook'];
  expect(taking.sort()).toEqual([...Object.keys(lists), ...ofFeeds].sort());
});

it("Another user's cursor is refused, as is that of another list; one that looks like the caller's own shows the caller's rows only", async () => {
  interface Connection {
    edges: { cursor: string; node: { id: string } }[];
    totalCount: number;
  }
  const connectionIn = (value: Result): Connection =>
    value.edges ? value : connectionIn(Array.isArray(value) ? value[0] : Object.values(value)[0]);
  const pageOf = async ({ rest }: TestUser, list: string, after?: string) => {
    const { data, errors } = await rest.ask(`query ($after: String) { ${list} }`, { after });
    return errors ? { errors, edges: [], totalCount: 0 } : connectionIn(data);
  };
  const firstCursor = async (user: TestUser, list: string) =>
    (await pageOf(user, list)).edges[0]?.cursor ?? '';
  const message = '`after` must be a cursor of this list, asked for with the same arguments';
  const refused = { errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] };
  const partsOf = (cursor: string) => Buffer.from(cursor, 'base64url').toString().split(' ');

  const [{ user: ana }, { user: bea }] = await two(await world());
  const cursors: { list: string; own: string; hers: string }[] = [];
  for (const list of Object.values(lists))
    cursors.push({ list, own: await firstCursor(ana, list), hers: await firstCursor(bea, list) });
  for (const { list, own, hers } of cursors) {
    const others = cursors.filter((other) => other.list !== list).map((other) => other.own);
    for (const other of [...others, ...cursors.map(({ hers }) => hers), own.repeat(1_000)])
      expect(await pageOf(ana, list, other), list).toMatchObject(refused);
    const ids: string[] = [];
    for (let page = await pageOf(ana, list); page.edges[0]; ) {
      ids.push(page.edges[0].node.id);
      page = await pageOf(ana, list, page.edges[0].cursor);
    }
    const parts = [...partsOf(own).slice(0, -2), ...partsOf(hers).slice(-2)];
    const forged = Buffer.from(parts.join(' ')).toString('base64url');
    const { totalCount, edges } = await pageOf(ana, list, forged);
    expect(totalCount, list).toBe(ids.length);
    for (const { node } of edges) expect(ids).toContain(node.id);
  }
});
