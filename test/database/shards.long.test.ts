import { globSync } from 'node:fs';
import path from 'node:path';
import { CompiledQuery, sql } from 'kysely';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { layoutOf } from '../../src/database/distributed/layout.js';
import type { Statement } from '../../src/database/statement.js';
import { freshDatabase, isOnManyNodes, sharedDatabase } from '../support/database.js';
import { drawing, Scene } from '../support/fuzz.js';
import { inhabitant } from '../support/inhabitant.js';
import { streamOf } from '../support/live.js';
import { configWithMail } from '../support/mail.js';
import { graphqlOperations, restOperations, send, valuesFor } from '../support/operations.js';
import { allQueriesOf, type Query } from '../support/statements.js';
import { type World, world } from '../support/world.js';

// Citus keeps all rows of a user on one node. It sends a statement there, and nowhere else, if each part of it names
// the user by value. Whether it does is asked of the planner, which says what it looks for in each table.

/** With rows of users, distributed by `user_id`. All others are whole on every node, or only where statements arrive. */
let DISTRIBUTED: readonly string[] = [];
beforeAll(async () => {
  DISTRIBUTED = [...layoutOf((await sharedDatabase()).orm).spread.keys()];
});

/** There Citus itself says where it sends a statement. */
const IS_DISTRIBUTED = isOnManyNodes(inject('template'));

/** What goes to all nodes or through the coordinator, and why it may. */
const EXCEPTIONS = {
  ...(IS_DISTRIBUTED && {
    'insert into revocations (id, user_id, revoked_at) select $':
      'put together from parts: a token is taken back rarely, and every node has all revocations',
  }),
  'select "id" from "tasks" where "id" = any($1::bigint[])':
    'only after a miss: tells tasks of another user from those that are not there',
  'where users.id = any($1::uuid[])':
    'shows many users their own progress, once each time: without it, each of them would cost a statement',
};

const ofUsers = ({ sql }: Query) => DISTRIBUTED.some((table) => new RegExp(`\\b${table}\\b`).test(sql));

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

const ONE_USER = /\buser_id = '[\da-f-]{36}'::uuid/;

/** The tables that a plan reads for more than one user. */
function unbounded(node: PlanNode): string[] {
  const { 'Relation Name': table = '', 'Node Type': kind, Filter: filter } = node;
  const isRead = kind.endsWith('Scan') && DISTRIBUTED.includes(table);
  const isBound = [node['Index Cond'], node['Recheck Cond'], filter].some((each) =>
    ONE_USER.test(each ?? ''),
  );
  return [...(isRead && !isBound ? [table] : []), ...(node.Plans ?? []).flatMap(unbounded)];
}

/** The tables into which a statement inserts rows whose user it does not give by value. */
const insertedUnbounded = (text: string): string[] =>
  [...text.matchAll(/insert into "?(\w+)"?(?: as \w+)? \(([^)]*)\) (?:select|values \() ?(.*)/g)].flatMap(
    ([, table = '', columns = '', values = '']) => {
      const place = columns.split(', ').findIndex((column) => /^"?user_id"?$/.test(column));
      const isBound = /^(\$\d+|'[\da-f-]{36}')(::uuid)?$/.test(values.split(/[,)] ?/)[place] ?? '');
      return DISTRIBUTED.includes(table) && !isBound ? [table] : [];
    },
  );

/** The values of a name anywhere in a plan of Citus. */
function valuesOf(name: string, plan: unknown): unknown[] {
  if (typeof plan !== 'object' || plan === null) return [];
  return Object.entries(plan).flatMap(([each, value]) => [
    ...(each === name ? [value] : []),
    ...valuesOf(name, value),
  ]);
}

/** Citus explains no insert of rows that it selects. */
const UNEXPLAINED = 'could not create distributed plan';

/** What Citus says of a statement, or ours of its plan, if it is not for one user. */
async function faultsOf({ database }: World, { sql, parameters }: Query): Promise<string[]> {
  const explained = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]);
  const asked = database.query().executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explained);
  const text = sql.replace(/\s+/g, ' ').trim();
  const faults = (tables: string[]) => tables.map((table) => `${table}: ${text}`);
  const inserted = faults(insertedUnbounded(text));
  if (IS_DISTRIBUTED) {
    const plan = await asked.then(
      ({ rows }) => rows,
      ({ message }: Error) => message,
    );
    if (typeof plan === 'string') return plan === UNEXPLAINED ? inserted : [`${plan}: ${text}`];
    const gathered = valuesOf('Subplans', plan).length > 0 ? [`gathered from parts: ${text}`] : [];
    const many = valuesOf('Task Count', plan).filter((count) => count !== 1);
    return [...many.map((count) => `${count} shards: ${text}`), ...gathered, ...inserted];
  }
  const plan = (await asked).rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode;
  return [...faults(unbounded(plan)), ...inserted];
}

/** A service that can do everything, though nobody is there whom it would call. */
async function fresh(): Promise<World> {
  const database = await freshDatabase();
  onTestFinished(() => database.close());
  const away = 'http://127.0.0.1:9';
  const provider = { OIDC_ISSUER: away, OIDC_CLIENT_ID: 'steady' };
  const config = configWithMail({ port: 9 }, { ...provider, NTFY_URL: away, WEBHOOK_HOSTS: '127.0.0.0/8' });
  return world({ database, config });
}

/** What is there is read first; then it is changed, ended, begun again, and left. */
const TURNS = [
  ...[/^(?!GET|Query)/, /delete|undo/, /\/complete|completeChallenge|abandon/, /accept/],
  /signOut|deleteMyAccount/,
];
const turnOf = (name: string) => TURNS.findLastIndex((late) => late.test(name));

const operations = [...restOperations(), ...graphqlOperations()]
  .filter(({ name }) => !name.startsWith('Subscription.'))
  .sort((one, other) => turnOf(one.name) - turnOf(other.name));

/** Each of these leaves nothing to do for the others of its turn: one a round. */
const ENDING = operations.map(({ name }) => name).filter((name) => turnOf(name) > 1);
const isOfRound = (name: string, round: number) => {
  const others = ENDING.filter((each) => turnOf(each) === turnOf(name));
  return others.length === 0 || others[round % others.length] === name;
};

/** Of values that are drawn, those that are needed may come late. */
const ROUNDS = { least: 6, most: 30 };

/** Asks for everything, in several ways, and for what is not there. Returns what was never carried out. */
async function askEverything(here: World): Promise<string[]> {
  const left = new Set(operations.map(({ name }) => name).filter((name) => !OF_SECRETS.includes(name)));
  const draw = drawing(1);
  for (let round = 0; round < (left.size > 0 ? ROUNDS.most : ROUNDS.least); round += 1) {
    const { user, ids } = await inhabitant(here, await here.newUser(), 1);
    const scene = new Scene(user);
    for (const [kind, all] of Object.entries(ids)) for (const id of all) scene.know(kind, id);
    for (const operation of operations.filter(({ name }) => isOfRound(name, round)))
      for (const times of /^Mutation\.delete(?!My)/.test(operation.name) ? [1] : [1, 2, 3]) {
        const request = operation.request(valuesFor(operation.places, scene, draw), scene, draw);
        const { status, body } = await send(user.rest, request, times > 1 ? { 'idempotency-key': 'a' } : {});
        expect(status, operation.name).toBeLessThan(500);
        if (status < 300 && !body?.errors) left.delete(operation.name);
        scene.learn(body, operation.name);
      }
  }
  return [...left];
}

/** They need a secret that is only mailed or handed out elsewhere: what looks for it is asked all the same. */
const OF_SECRETS = [
  'confirmEmail',
  'undoEmailChange',
  'resetPassword',
  'exchangeLogIn',
  'deleteIdentity',
].map((name) => `Mutation.${name}`);

/** Files, links, and what subscribers are sent. */
async function askBesides(here: World): Promise<void> {
  const ana = await here.newUser();
  const { id } = await ana.hasTask();
  await ana.query('mutation { updateProfile(input: { eventFeed: true }) { user { id } } }');
  const subscriptions = [
    'progressChanged { kind user { points } task { id } completion { id } }',
    'challengeChanged { id }',
    'events { number }',
  ];
  const streams = await Promise.all(subscriptions.map((field) => streamOf(ana, `subscription { ${field} }`)));
  const { createCheckInLink, createCalendarFeed } = await ana.query(`mutation {
    createCheckInLink(taskId: ${id}, name: "Desk") { url } createCalendarFeed(input: { name: "Habits" }) { url }
  }`);
  const path = `/check-in/${createCheckInLink.url.split('/').at(-1)}`;
  for (const [method, each] of [
    ['POST', path],
    ['GET', path],
    ['POST', `${path}/undo`],
  ] as const)
    expect((await here.rest.send(method, each, undefined, { accept: 'application/json' })).status).toBe(200);
  await ana.completes({ id });
  await ana.rest.put(`/api/user-challenges/${(await ana.hasAccepted()).id}/notes`, { notes: 'Well' });
  for (const stream of streams) {
    expect((await stream.next()).errors).toBeUndefined();
    stream.close();
  }
  await here.rest.get(`/calendar/${createCalendarFeed.url.split('/').at(-1)}`);
  await here.rest.get(`/calendar/${'x'.repeat(43)}.ics`);
  await here.rest.get(`/check-in/${'x'.repeat(32)}`);
  await ana.rest.get('/account/completions.csv');
  const file = (await ana.rest.get('/account/export')).body;
  for (const status of [201, 400])
    expect(
      (await (status === 201 ? await here.newUser() : ana).rest.post('/account/import', file)).status,
    ).toBe(status);
}

type Written = Pick<Statement<object, unknown>, 'with'>;

/** The statements in what a module exports, without those for several users (`many`), which are not sent there. */
function statementsIn(value: unknown): Written[] {
  if (typeof value !== 'object' || value === null) return [];
  const isStatement = Object.keys(value).join() === 'with';
  if (isStatement) return [value as Written];
  return Object.entries(value).flatMap(([name, each]) => (name === 'many' ? [] : statementsIn(each)));
}

/** Of the hot paths, with some values of Ana's. */
async function declared(userId: string): Promise<Query[]> {
  const modules = await Promise.all(
    globSync('src/**/*.queries.ts').map((file) => import(/* @vite-ignore */ path.resolve(file))),
  );
  const now = new Date();
  const values = { userId, id: 1, ids: [1], limit: 1, at: now, from: '2026-11-01', to: '2026-11-30' };
  return modules
    .flatMap((module) => statementsIn({ ...module }))
    .map((each) => each.with(values))
    .map(({ text, parameters }) => ({ sql: text, parameters }));
}

describe('On Citus', () => {
  // The streak job and the commands look at all users, and so at all nodes. Nothing else may.
  it('each statement of a request goes to one node, and all nodes number rows together', async () => {
    const here = await fresh();
    let left: string[] = [];
    const sent = await allQueriesOf(here, async () => {
      left = await askEverything(here);
      await askBesides(here);
    });
    expect(left).toEqual([]);
    const known = new Set(sent.map(({ sql }) => sql));
    const hot = await declared((await here.newUser()).id);
    const unsent = hot.filter(({ sql }) => !known.has(sql));
    const asked = [...sent, ...unsent].filter(ofUsers);
    const faults: string[] = [];
    for (const query of asked) faults.push(...(await faultsOf(here, query)));
    const excepted = (fault: string) => Object.keys(EXCEPTIONS).filter((part) => fault.includes(part));
    expect(faults.filter((fault) => excepted(fault).length === 0)).toEqual([]);
    expect(new Set(faults.flatMap(excepted))).toEqual(new Set(Object.keys(EXCEPTIONS)));
    expect(asked.length).toBeGreaterThan(100);
    // Those that are not sent by chance are explained all the same.
    expect([hot.length > 40, unsent.filter(ofUsers).length < hot.length / 2]).toEqual([true, true]);
    // Rows are numbered from one on, by all nodes together.
    for (const table of ['tasks', 'task_completions', 'user_challenges']) {
      const { rows } = await sql<{ largest: string }>`
        select max(id)::text as largest from ${sql.table(table)}`.execute(here.database.query());
      expect(Number(rows[0]?.largest), table).toBeLessThan(10_000);
    }
  });
});
