import { type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { suspended } from '../../src/base/request.js';
import { answersTo, GET, POST, serve, TIMES, UNREAD_MS, waiting, work } from '../support/admission.js';
import { eventually } from '../support/eventually.js';

const MEGABYTE = 1_024 * 1_024;
const APP = 'https://app.example.com';

const of = (user: string, path = '/x') =>
  GET.replace('/x', path).replace('\r\n', `\r\nAuthorization: ${user}\r\n`);

const aFewTurns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

describe('Admission', () => {
  it('sheds the first request beyond the limit, in the format of the API that was asked, to be read by pages that are let in', async () => {
    const { responses, handler, until } = waiting();
    const { ask } = await serve(2, handler, [APP]);
    const served = [ask('/api/tasks/me'), ask('/graphql', '{}')];
    await until(2);
    const rest = await ask('/api/tasks/me', undefined, { origin: APP });
    expect(rest.status).toBe(503);
    expect(rest.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '1',
      'error-reason': 'OVERLOADED',
      'access-control-allow-origin': APP,
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    });
    const message = 'Service unavailable, nothing was changed';
    expect(JSON.parse(rest.body)).toEqual({ error: message });
    const told = { code: 'SERVICE_UNAVAILABLE', reason: 'OVERLOADED', outcome: 'NOT_APPLIED' };
    const extensions = { ...told, retryAfter: 1 };
    for (const path of ['/graphql', '/graphql?query={me{id}}', '/GraphQL/']) {
      const { status, headers, body } = await ask(path, '{}', { origin: 'https://elsewhere.example.com' });
      expect([status, headers['retry-after'], headers['access-control-allow-origin']]).toEqual([
        503,
        '1',
        undefined,
      ]);
      expect(JSON.parse(body)).toEqual({ errors: [{ message, extensions }] });
    }
    // Else some clients read nothing.
    const type = 'application/graphql-response+json';
    const { headers } = await ask('/graphql', '{}', { accept: `${type},application/json;q=0.9` });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    for (const response of responses) response.end('served');
    expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('admits health checks and preflights however many requests there are', async () => {
    const { handler, until } = waiting();
    const { ask, connect } = await serve(1, (request, response) => {
      if (request.url?.startsWith('/health/') || request.method === 'OPTIONS') response.end('well');
      else handler(request, response);
    });
    connect().write(GET);
    await until(1);
    expect((await ask('/x')).status).toBe(503);
    expect(await ask('/health/live')).toMatchObject({ status: 200, body: 'well' });
    const browser = connect();
    const answers = answersTo([browser]);
    browser.write(GET.replace('GET', 'OPTIONS'));
    await eventually(() => answers[0]?.endsWith('well'));
  });

  it.each([0, 60_000])('leaves a connection usable whose request with %s bytes it refused', async (size) => {
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(1, handler);
    connect().write(GET);
    await until(1);
    await ask('/x');
    expect(await ask('/x', Buffer.alloc(size))).toMatchObject({ status: 503, isReused: true });
    responses[0]?.end();
    const last = eventually(async () => {
      const answer = ask('/x', 'x');
      await Promise.race([until(2), answer]);
      responses[1]?.end('served');
      return (await answer).status === 200 && answer;
    });
    expect(await last).toMatchObject({ body: 'served', isReused: true });
  });

  it.each([{ 'content-length': '1000000' }, { 'transfer-encoding': 'chunked' }])(
    'does not wait for a body that it refused, large or of unknown length: %j',
    async (headers) => {
      const { handler, until } = waiting();
      const { ask, connect } = await serve(1, handler);
      connect().write(GET);
      await until(1);
      const refused = await ask('/x', Buffer.alloc(1_000_000), headers);
      expect(refused).toMatchObject({ status: 503, headers: { connection: 'close' } });
    },
  );

  it('gives a connection one permit, however many requests it pipelines, and serves them in order', async () => {
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(2, handler);
    const impatient = connect();
    const answers = answersTo([impatient]);
    impatient.write(GET + POST + GET);
    await until(1);
    const other = ask('/x');
    await until(2);
    expect(responses.map(({ req }) => req.method)).toEqual(['GET', 'GET']);
    responses[1]?.end('other');
    expect((await other).body).toBe('other');

    for (const [turn, method] of [
      [0, 'GET'],
      [2, 'POST'],
      [3, 'GET'],
    ] as const) {
      await until(turn + 1);
      expect(responses[turn]?.req.method).toBe(method);
      expect(responses).toHaveLength(Math.max(2, turn + 1));
      responses[turn]?.end(`answer ${turn}`);
    }
    await eventually(() => answers[0]?.includes('answer 3'));
    expect(answers[0]?.match(/answer \d/g)).toEqual(['answer 0', 'answer 2', 'answer 3']);
  });

  it('does not begin a pipelined request behind an answer that closes the connection', async () => {
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(3, handler);
    connect().write(GET + POST);
    await until(1);
    responses[0]?.setHeader('Connection', 'close').end();
    const served = ask('/other');
    await until(2);
    responses[1]?.end();
    await served;
    expect(responses.map(({ req }) => req.url)).toEqual(['/x', '/other']);
  });

  it('begins one request after the other, and refuses others and answers health checks in between', async () => {
    const begun: string[] = [];
    const { crowd } = await serve(20, ({ url = '' }, response) => {
      if (url !== '/health/live') work();
      begun.push(url);
      if (url === '/health/live') response.end();
    });
    const clients = await crowd(31);
    const refused = Promise.race(
      clients
        .slice(20)
        .map((client) => new Promise((resolve) => client.once('data', () => resolve(begun.length)))),
    );
    for (const client of clients.slice(0, -1)) client.write(GET);
    clients.at(-1)?.write(GET.replace('/x', '/health/live'));
    expect(await refused).toBeLessThan(15);
    await eventually(() => begun.length === 21);
    expect(begun.indexOf('/health/live')).toBeLessThan(15);
  });

  it('lets what needs no token take turns by address, and leaves room for health checks of each', async () => {
    const open: ServerResponse[] = [];
    const { ask, crowd } = await serve(1, (request, response) => {
      if (request.url === '/page/slow.js') open.push(response);
      else response.end('served');
    });
    const stranger = { Authorization: 'a stranger' };
    for (const client of await crowd(150)) client.write(of('a stranger', '/page/slow.js'));
    await eventually(() => open.length === 100); // unread, as far as the service knows
    for (const path of ['/page/quick.js', '/health/live', '/api/openapi.json', '/x'])
      expect((await ask(path)).body).toBe('served');
    expect((await ask('/health/live', undefined, stranger)).body).toBe('served');
    const late = ask('/page/quick.js', undefined, stranger);
    await aFewTurns();
    expect(open).toHaveLength(100);
    for (let at = 0; at < 150; at += 1) {
      await eventually(() => open.length > at);
      open[at]?.end();
    }
    expect((await late).body).toBe('served');
  });

  it('cuts off who takes nothing of a file, and nobody who takes it slowly', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const large = Buffer.alloc(32 * MEGABYTE, 'x');
    let begun = 0;
    const { ask, crowd } = await serve(200, ({ url }, response) => {
      begun += 1;
      response.end(url === '/page/large.js' ? large : 'served');
    });
    const clients = await crowd(100);
    for (const client of clients) client.pause().write(of('a school', '/page/large.js'));
    await eventually(() => begun === 100);
    const quick = ask('/page/quick.js', undefined, { Authorization: 'a school' });
    const [slow] = clients;
    let read = 0;
    slow?.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    for (const wanted of [12 * MEGABYTE, 24 * MEGABYTE]) {
      slow?.resume(); // more at a time than the system holds for it
      await eventually(() => read >= wanted);
      slow?.pause();
      vi.advanceTimersByTime(UNREAD_MS);
    }
    expect((await quick).body).toBe('served');
    slow?.resume();
    await eventually(() => read > large.length);
  });

  it('works on ten requests of one user at a time, however many there are, and on those of others all the same', async () => {
    const { responses, handler, until } = waiting();
    const { crowd } = await serve(300, handler);
    const clients = await crowd(130);
    for (const client of clients.slice(0, 120)) client.write(of('ana'));
    await until(10);
    await aFewTurns();
    expect(responses).toHaveLength(10);
    for (const client of clients.slice(120)) client.write(of('bob'));
    await until(20);
    responses[0]?.end();
    await until(21);
  });

  it('counts an abandoned request for no longer than a request may take', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(2, handler);
    const clients = [connect(), connect()];
    for (const client of clients) client.write(GET);
    await until(2);
    const gone = responses.map((response) => new Promise((resolve) => response.once('close', resolve)));
    for (const client of clients) client.destroy();
    await Promise.all(gone);
    expect((await ask('/x')).status).toBe(503);

    vi.advanceTimersByTime(TIMES.longestWork);
    const [third, fourth] = [ask('/x'), ask('/x')];
    await until(4);
    for (const response of responses) response.end('served');
    expect((await Promise.all([third, fourth])).map(({ body }) => body)).toEqual(['served', 'served']);
  });

  it('holds no permit for requests that wait for a turn of their own, and refuses none of them afterwards', async () => {
    const turns: (() => void)[] = [];
    const { ask, crowd } = await serve(1, (request, response) => {
      if (request.url === '/other') return void response.end('served');
      const both = [1, 2].map(() => suspended(() => new Promise<void>((resolve) => turns.push(resolve))));
      void Promise.all(both).then(() => asked.push(response));
    });
    const asked: ServerResponse[] = [];
    const clients = await crowd(20);
    const answers = answersTo(clients);
    for (const [at, client] of clients.entries()) {
      client.write(GET);
      await eventually(() => turns.length === 2 * (at + 1));
    }
    expect(await ask('/other')).toMatchObject({ status: 200 });
    for (const turn of turns.slice(1)) turn();
    await eventually(() => asked.length === 19);
    expect(await ask('/other')).toMatchObject({ status: 503 });
    turns[0]?.();
    await eventually(() => asked.length === 20);
    for (const response of asked) response.end('served');
    await eventually(() => answers.every((answer) => /^HTTP\/1.1 200 /.test(answer)));
    expect(await ask('/other')).toMatchObject({ status: 200 });
  });
});
