import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { currentRequestId } from '../../src/base/request.js';
import { User } from '../../src/features/account/user.entity.js';
import { createLog } from '../../src/telemetry/log.js';
import { configOf, ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { firstOf, socketOf } from '../support/live.js';
import { rawConnection } from '../support/raw.js';
import { world } from '../support/world.js';

/** A line of the log about a request. */
// biome-ignore lint/suspicious/noExplicitAny: a line may have any field
type Line = Record<string, any>;

async function logged(environment: Record<string, string> = {}) {
  const text: string[] = [];
  const log = createLog(
    { logLevel: 'info', requestId: currentRequestId },
    { write: (line) => void text.push(line) },
  );
  const service = await world({ config: configOf(environment), log, database: await ownDatabase() });
  const lines = (): Line[] => text.map((line) => JSON.parse(line));
  const requests = () => lines().filter(({ msg }) => msg === 'Request');
  /** The line of the request with that id. It is written once the answer is sent. */
  const lineOf = (id: string) =>
    eventually(() => requests().find(({ request }) => request === id)) as Promise<Line>;
  return { ...service, text, lines, requests, lineOf };
}

/** Sends bytes as they are. Resolves with all that comes until the connection is closed. */
async function raw(base: string, bytes: string): Promise<string> {
  const connection = await rawConnection({ base });
  connection.send(bytes);
  return connection.all();
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/;

describe('The log has one line a request', () => {
  it('with route, status, time, user, address and outcome', async () => {
    const { newUser, lineOf } = await logged();
    const ana = await newUser();
    const { headers } = await ana.rest.get('/api/tasks/me', { 'x-request-id': 'my-list.1' });
    expect(headers.get('x-request-id')).toBe('my-list.1');
    expect(await lineOf('my-list.1')).toEqual({
      level: 30,
      time: expect.any(Number),
      request: 'my-list.1',
      method: 'GET',
      route: '/api/tasks/me',
      status: 200,
      ms: expect.any(Number),
      user: ana.id,
      address: '127.0.0.1',
      outcome: 'OK',
      msg: 'Request',
    });
  });

  it('with the reason of a refusal, on both APIs', async () => {
    const { newUser, rest, lineOf } = await logged();
    const ana = await newUser();
    await rest.get('/api/tasks/me', { 'x-request-id': 'nobody' });
    expect(await lineOf('nobody')).toMatchObject({ status: 401, outcome: 'TOKEN_MISSING' });
    await rest.get('/api/tasks/me', { 'x-request-id': 'stranger', authorization: 'Bearer x' });
    expect(await lineOf('stranger')).toMatchObject({ status: 401, outcome: 'TOKEN_INVALID' });
    const notFound = { user: ana.id, outcome: 'NOT_FOUND' };
    await ana.rest.put('/api/tasks/x', { title: 'x' }, { 'x-request-id': 'gone' });
    expect(await lineOf('gone')).toMatchObject({ ...notFound, route: '/api/tasks/:taskId', status: 404 });
    const query = 'mutation Rename($id: ID!) { updateTask(id: $id, input: { title: "x" }) { task { id } } }';
    for (const id of ['apollo', 'fast-path']) {
      await ana.rest.post('/graphql', { query, variables: { id: 'x' } }, { 'x-request-id': id });
      const operation = { operation: 'mutation', name: 'Rename', fields: ['updateTask'] };
      expect(await lineOf(id)).toMatchObject({ ...notFound, ...operation, route: '/graphql' });
    }
    await rest.post('/graphql', { query: '{ nothing }' }, { 'x-request-id': 'invalid' });
    expect(await lineOf('invalid')).toMatchObject({ outcome: 'INVALID_INPUT' });
    await rest.post('/graphql', '{', { 'x-request-id': 'broken', 'content-type': 'application/json' });
    expect(await lineOf('broken')).toMatchObject({ status: 400, outcome: 'INVALID_INPUT' });
    await rest.get('/s3cret/path?token=s3cret', { 'x-request-id': 'nowhere' });
    expect(JSON.stringify(await lineOf('nowhere'))).not.toContain('s3cret'); // only routes are named
  });

  it('with the account that a log-in was for, and never its e-mail address', async () => {
    const { newUser, rest, lineOf } = await logged();
    const { id: user, account } = await newUser();
    const { email, password } = account;
    const logIn = async (id: string, input: object) => {
      await rest.post('/api/auth/login', input, { 'x-request-id': `rest-${id}` });
      const query = 'mutation ($input: LogInInput!) { logIn(input: $input) { token } }';
      await rest.post('/graphql', { query, variables: { input } }, { 'x-request-id': `graphql-${id}` });
      return [await lineOf(`rest-${id}`), await lineOf(`graphql-${id}`)];
    };
    for (const line of await logIn('right', { email, password }))
      expect(line).toMatchObject({ user, outcome: 'OK' });
    const failed = await logIn('wrong', { email, password: 'another password' });
    for (const line of failed) expect(line).toMatchObject({ user, outcome: 'INVALID_CREDENTIALS' });
    expect(JSON.stringify(failed)).not.toContain(email);
    for (const line of await logIn('nobody', { email: `x${email}`, password }))
      expect(line).toEqual(expect.not.objectContaining({ user: expect.anything() }));
  });

  it('when the client goes before its answer', async () => {
    const { base, lineOf } = await logged();
    const connection = await rawConnection({ base });
    const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    connection.send(`${head}X-Request-Id: left\r\nContent-Length: 100\r\n\r\n{"email"`);
    connection.socket.destroySoon();
    expect(await lineOf('left')).toMatchObject({ status: 499, outcome: 'CLIENT_GONE' });
  });

  it.each([
    ['an upgrade that is refused', 'GET /nope HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket', 404],
    ['a tunnel', 'CONNECT example.com:80 HTTP/1.1', 404],
    ['headers that are too large', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, 431],
  ])('for %s, with its address, and its id in the answer', async (_what, bytes, status) => {
    const { base, requests } = await logged();
    const answer = await raw(base, `${bytes}\r\nHost: localhost\r\n\r\n`);
    const [, id] = /^X-Request-Id: (\S+)\r$/im.exec(answer) ?? [];
    expect(id).toMatch(UUID);
    await eventually(() => requests().length > 0);
    const { time: _, ms: __, ...line } = requests()[0] ?? {};
    expect(requests()).toHaveLength(1);
    expect(line).toMatchObject({ request: id, status, address: '127.0.0.1', outcome: 'REFUSED' });
  });

  it('for each operation on a WebSocket, and one for the connection', async () => {
    const { base, newUser, requests } = await logged();
    const ana = await newUser();
    const client = socketOf({ base, token: ana.token });
    await firstOf(client, 'query OverSocket { me { id } }');
    await expect(firstOf(client, '{ wrong }')).rejects.toThrow();
    await client.dispose();
    const ofSocket = () =>
      requests().filter(({ method, status }) => method === 'WEBSOCKET' || status === 101);
    await eventually(() => ofSocket().length >= 3);
    const connection = ofSocket().find(({ status }) => status === 101);
    const request = expect.stringMatching(UUID);
    expect(connection).toMatchObject({ request, route: '/graphql', user: ana.id });
    const ids = { request: `${connection?.request}.1`, user: ana.id };
    expect(ofSocket()).toContainEqual(
      expect.objectContaining({ ...ids, name: 'OverSocket', fields: ['me'], outcome: 'OK' }),
    );
    expect(ofSocket().map(({ outcome }) => outcome)).toContain('INVALID_INPUT');
  });
});

it('LOG_REQUESTS=errors leaves out what went well', async () => {
  const { rest, requests } = await logged({ LOG_REQUESTS: 'errors' });
  await rest.get('/health/live');
  await rest.post('/graphql', { query: '{ me { id } }' });
  await rest.get('/api/tasks/me', { authorization: 'Bearer x' });
  await eventually(() => requests().length >= 2);
  expect(requests().map(({ outcome }) => outcome)).toEqual(['TOKEN_MISSING', 'TOKEN_INVALID']);
});

describe('A request id', () => {
  it('that is too long, or could end a text or a comment, is replaced', async () => {
    const { rest } = await world();
    for (const id of ['a'.repeat(65), '"}{"', "*/'"]) {
      const { headers } = await rest.get('/health/live', { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(UUID);
    }
  });

  it('goes into every line about its request', async () => {
    const { newUser, rest, lines, database, lineOf } = await logged();
    const ana = await newUser();
    await database.query().schema.alterTable('tasks').renameTo('elsewhere').execute();
    await ana.rest.get('/api/tasks/me', { 'x-request-id': 'failing' });
    await ana.rest.post(
      '/graphql',
      { query: '{ tasks { nodes { id } } }' },
      { 'x-request-id': 'failing-too' },
    );
    await rest.get('/health/live');
    expect(await lineOf('failing')).toMatchObject({ status: 500, outcome: 'INTERNAL' });
    expect(await lineOf('failing-too')).toMatchObject({ outcome: 'INTERNAL' });
    const failures = lines().filter(({ level }) => level === 50);
    expect(failures.map(({ request, msg }) => [request, msg])).toEqual([
      ['failing', 'A request failed'],
      ['failing-too', 'A resolver failed'],
    ]);
  });
});

const KNOWN = [
  ...['level', 'time', 'request', 'method', 'route', 'status', 'ms', 'user', 'address'],
  ...['operation', 'name', 'fields', 'outcome', 'msg'],
];

it('No request forges a line, makes a long one or puts a secret into it', async () => {
  const { base, newUser, text } = await logged();
  const ana = await newUser();
  const odd = () =>
    randomBytes(60)
      .toString('latin1')
      .replace(/[\r\n\0]/g, '');
  const [, , signature = ''] = ana.token.split('.');
  for (let run = 0; run < 10; run += 1) {
    const long = 'n'.repeat(1 + ((run * 37) % 200));
    const query = `query ${long} { tasks(filter: "${signature}") { nodes { id } } me { ${'a: id '.repeat(run % 20)} id } }`;
    const body = JSON.stringify({ query, operationName: long });
    const head = [
      `POST /graphql?token=${signature}&x=${encodeURIComponent(odd())} HTTP/1.1`,
      'Host: a',
      `X-Request-Id: {"level":50,"msg":"forged${run}"}`,
      `X-Forwarded-For: ${signature}`,
      `User-Agent: ${odd()}`,
      `Authorization: Bearer ${ana.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    await raw(base, `${head.join('\r\n')}\r\n\r\n${body}`);
    await raw(
      base,
      `${['GET', 'PROPFIND', 'M-SEARCH'][run % 3]} /${encodeURI(odd())}/${signature} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
  }
  expect(text.length).toBeGreaterThan(10); // some never become a request
  for (const line of text) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line.length).toBeLessThan(1_000);
    expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(JSON.parse(line))));
    expect(line).not.toMatch(/forged/);
    expect(line).not.toContain(signature);
  }
});

/** Values as somebody may choose them to get out of where errors keep them. */
const NAME = 's3cret-name\n    at s3cret (file:///s3cret.js:1:1)';
const ID = 's3cret "id"';

it('What the database says of failing statements reaches the log without a value in it', async () => {
  const database = await ownDatabase();
  const lines: string[] = [];
  const log = createLog({ logLevel: 'trace' }, { write: (line) => void lines.push(line) });
  const now = new Date();
  const known = { name: NAME, email: 's3cret@example.com', passwordHash: 's3cret-hash' };
  const add = (user: object) =>
    database.transaction(async (tx) => {
      const times = { createdAt: now, updatedAt: now };
      tx.create(User, { id: randomUUID(), ...known, ...times, ...user });
      await tx.flush();
    });
  const execute = (statement: string, ...values: string[]) =>
    database.orm.em.fork().execute(statement, values);
  await add({});
  await execute('alter table users add constraint short check (length(name) < 99)');
  const failing: [code: string, work: () => Promise<unknown>][] = [
    ['23505', () => add({})],
    ['23514', () => add({ email: 'other', name: NAME.padEnd(100) })],
    ['23502', () => add({ email: null })],
    ['22P02', () => sql`select from users where id = ${ID}`.execute(database.query())],
    ['22P02', () => database.transaction(async (tx) => void (await tx.findOne(User, { id: ID })))],
    ['22P02', () => execute('select ?::int', ID)],
    ['22007', () => execute('select ?::timestamptz', ID)],
    ['22003', () => execute('select ?::text::int', '93333333333333333')],
  ];
  for (const [code, work] of failing) {
    const error = await work().catch((reason: unknown) => reason);
    log.error({ err: error }, 'A request failed');
    const { err } = JSON.parse(lines.at(-1) ?? '');
    if (code !== '23502') expect(err.code).toBe(code); // MikroORM itself may have found it
    expect(err.message).not.toBe('');
    expect(err.stack).toMatch(/\n {4}at /);
    expect(JSON.stringify(err)).not.toMatch(/s3cret|93333/);
  }
});
