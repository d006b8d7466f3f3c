import http, { type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { busyAnswer } from '../../src/app.js';
import { admission } from '../../src/http/admission.js';
import { jsonBody } from '../../src/http/body.js';
import { PIECE, Receiving } from '../../src/http/receiving.js';
import { httpServer } from '../../src/http/server.js';
import { asRequest, currentRequest, inLine, noteWork } from '../../src/request.js';
import { eventually } from '../support/eventually.js';
import { socketTo } from '../support/raw.js';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether an earlier request had gone over the same connection. */
  isReused: boolean;
}

/** Nobody is given up for being slow, however busy the machine is, unless a test moves the time. */
const TIMES = { longestWait: 100_000, longestWork: 100_000 };

/** Each connection is somebody else's, unless it says whose it is. */
const ownerOf = ({ headers, socket }: http.IncomingMessage) =>
  headers.authorization ?? `${socket.remotePort}`;

async function serve(limit: number, handler: RequestListener, origins: string[] = [], receiving?: Receiving) {
  const settings = { limit, busy: busyAnswer(origins), ownerOf, ...TIMES, ...(receiving && { receiving }) };
  const { server } = httpServer(admission(handler, settings));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.close();
    server.closeAllConnections();
  });
  const ask = (path: string, body?: Buffer | string, headers = {}) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      const options = { port, path, agent, method: body === undefined ? 'GET' : 'POST', headers };
      const request = http.request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.once('end', () => {
          const { statusCode, headers } = response;
          resolve({ status: statusCode, headers, body: text, isReused: request.reusedSocket });
        });
      });
      request.once('error', reject).end(body);
    });
    answer.catch(() => {}); // what nobody waits for may break off with its test
    return answer;
  };
  const connect = () => socketTo(port);
  let accepted = 0;
  const seen = { requests: 0, bytes: 0 };
  server.on('request', ({ socket }) => {
    seen.requests += 1;
    seen.bytes = Math.max(seen.bytes, socket.bytesRead);
  });
  server.on('connection', () => {
    accepted += 1;
  });
  const crowd = async (count: number) => {
    const sockets = Array.from({ length: count }, connect);
    await eventually(() => accepted === count);
    return sockets;
  };
  return { ask, connect, crowd, seen };
}

/** Keeps everybody waiting for a moment, as work does that cannot be interrupted. */
function work(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
}

/** Serves nobody until it is told to. */
function waiting() {
  const responses: ServerResponse[] = [];
  const handler: RequestListener = (_request, response) => {
    responses.push(response);
  };
  const until = (count: number) => eventually(() => responses.length >= count);
  return { responses, handler, until };
}

/** Reads the body first, as both APIs do. */
const reading =
  (handler: RequestListener, limit = 100): RequestListener =>
  (request, response) =>
    jsonBody(limit)(request as Request, response as Response, (error?: unknown) => {
      if (error) response.writeHead((error as { status: number }).status).end();
      else handler(request, response);
    });

const JSON_BODY = 'Content-Type: application/json\r\n';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

/** What has come back on each of these connections. */
function answersTo(sockets: net.Socket[]): string[] {
  const answers = sockets.map(() => '');
  for (const [at, socket] of sockets.entries()) {
    socket.on('data', (chunk) => {
      answers[at] = `${answers[at]}${chunk}`;
    });
  }
  return answers;
}
const statusesIn = (answer = '') => answer.match(/(?<=HTTP\/1.1 )\d+/g) ?? [];

describe('One connection that sends far ahead', () => {
  const wellAndWaiting = () => {
    const { responses, handler, until } = waiting();
    const well: RequestListener = (request, response) => {
      if (request.url?.startsWith('/health/')) response.end('well');
      else handler(request, response);
    };
    return { responses, well, until };
  };
  const health = GET.replace('/', '/health/ready');

  it('is read no further while one of its requests waits', async () => {
    const { responses, well, until } = wellAndWaiting();
    const { ask, connect, seen } = await serve(2, well);
    const client = connect();
    const ahead = 80_000;
    client.write(GET + health.repeat(ahead));
    await until(1);
    for (let turn = 0; turn < 20; turn += 1) await ask('/health/live');
    expect(seen.requests).toBeLessThan(ahead / 10);
    responses[0]?.end();
    client.destroy();
  });

  it('is read no further while a request waits whose body is on the way', async () => {
    const { responses, handler, until } = waiting();
    const { ask, connect, seen } = await serve(2, (request, response) => {
      if (request.method === 'GET') response.end();
      else reading(handler, 100_000)(request, response);
    });
    const client = connect();
    const body = JSON.stringify('x'.repeat(60_000));
    const post = `POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Length: ${body.length}\r\n\r\n${body}`;
    const answers = answersTo([client]);
    client.write(post.repeat(30));
    await until(1);
    for (let turn = 0; turn < 20; turn += 1) await ask('/');
    expect(seen.bytes).toBeLessThan(300_000);
    for (let count = 1; count <= 30; count += 1) {
      await until(count);
      responses[count - 1]?.end('served');
    }
    await eventually(() => answers[0]?.match(/served/g)?.length === 30);
  });

  it.each([
    ['health checks', health],
    ['preflights', GET.replace('GET', 'OPTIONS')],
  ])('gets %s answered in order, after what it has sent before', async (_what, question) => {
    const { responses, well, until } = wellAndWaiting();
    const handler: RequestListener = (request, response) => {
      if (request.method === 'OPTIONS') response.end('well');
      else well(request, response);
    };
    const { connect } = await serve(2, handler);
    const client = connect();
    const answers = answersTo([client]);
    client.write(GET + question.repeat(151));
    await until(1);
    responses[0]?.end('first');
    await eventually(() => statusesIn(answers[0]).length === 152);
    expect(answers[0]?.indexOf('first')).toBeLessThan(answers[0]?.indexOf('well') ?? 0);
    expect(statusesIn(answers[0])).toEqual(Array(152).fill('200'));
  });

  it('is closed when four thousand requests wait on all connections together; the others are served', async () => {
    const { responses, handler, until } = waiting();
    const { ask, crowd } = await serve(50, handler);
    const clients = await crowd(4);
    const closed = clients.map((client) => new Promise((resolve) => client.once('close', resolve)));
    for (const client of clients) client.write(`GET / HTTP/1.1\r\n\r\n`.repeat(3_500));
    await Promise.race(closed);
    const open = () => clients.filter((client) => !client.destroyed).length;
    expect(open()).toBeGreaterThan(0);
    for (const client of clients) client.destroy();
    const other = ask('/other');
    await eventually(() => responses.some(({ req }) => req.url === '/other'));
    responses.find(({ req }) => req.url === '/other')?.end('served');
    expect((await other).body).toBe('served');
    await until(1);
  });

  it('is parsed no further either, however many come at once', async () => {
    const { well } = wellAndWaiting();
    const { ask, crowd, seen } = await serve(300, well);
    const clients = await crowd(40);
    for (const client of clients) client.write(`GET / HTTP/1.1\r\n\r\n`.repeat(3_500));
    await eventually(() => clients.some(({ destroyed }) => destroyed));
    await ask('/health/live');
    expect(seen.requests).toBeLessThan(8_000);
    for (const client of clients) client.destroy();
  });
});

describe('When more is on its way than may be held', () => {
  const HALF = 8_000;
  /** All but the end of a body. */
  const half = (size = HALF) =>
    `POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Length: ${size + 1}\r\n\r\n"${' '.repeat(size - 1)}`;
  const chunked = `POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Transfer-Encoding: chunked\r\n\r\n${HALF.toString(16)}\r\n"${' '.repeat(HALF - 1)}`;
  const packed = `POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Encoding: gzip\r\nContent-Length: 50\r\n\r\n\x1f`;
  const served: RequestListener = (_request, response) => void response.end('served');
  const refusals = (answers: string[]) => answers.filter((answer) => /^HTTP\/1.1 503 /.test(answer)).length;

  it.each([
    ['of a length', half()],
    ['in chunks', chunked],
    ['in gzip', packed],
  ])('bodies %s are refused until the rest has room, and small ones pass', async (_how, bytes) => {
    const room = 4 * (10_000 + 2 * PIECE);
    const { ask, crowd } = await serve(50, reading(served, 10_000), [], new Receiving(room));
    const clients = await crowd(12);
    const answers = answersTo(clients);
    for (const client of clients) client.write(Buffer.from(bytes, 'latin1'));
    await eventually(() => refusals(answers) >= 7);
    const small = await ask('/', '"small"', { 'content-type': 'application/json' });
    expect(small).toMatchObject({ status: 200, body: 'served' });
    await eventually(() => clients.filter(({ destroyed }) => destroyed).length >= 7);
    expect(refusals(answers)).toBeLessThan(10);
    const refused = answers.find((answer) => answer !== '');
    expect(refused).toMatch(/Retry-After: 1\r\n/);
    expect(refused).toMatch(/\{"error":"Service unavailable, nothing was changed"\}$/);
  });

  it('memory is free again once bodies have arrived whole, or their senders have gone', async () => {
    const receiving = new Receiving(5 * HALF);
    const { ask, connect } = await serve(50, reading(served, 10_000), [], receiving);
    const held = () => (receiving as unknown as { bytes: number }).bytes;
    for (let round = 0; round < 4; round += 1) {
      const clients = Array.from({ length: 4 }, connect);
      const answers = answersTo(clients);
      const bytes = round % 2 === 0 ? half() : packed; // unpacking does not notice that its sender has gone
      for (const client of clients) client.write(Buffer.from(bytes, 'latin1'));
      await ask('/');
      if (round % 2 === 0) {
        for (const client of clients) client.write('"');
        await eventually(() => answers.every((answer) => answer.endsWith('served')));
      }
      for (const client of clients) client.destroy();
      await eventually(() => held() === 0);
      expect(refusals(answers)).toBe(0);
    }
  });

  it('chunks that nobody reads are not read after the answer: the connection closes', async () => {
    const { connect, seen } = await serve(50, served);
    const client = connect();
    const answers = answersTo([client]);
    client.write(
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(1_000_000)}`,
    );
    await eventually(() => client.destroyed);
    expect(answers[0]).toMatch(/^HTTP\/1.1 200 [\s\S]*Connection: close\r\n/);
    expect(seen.requests).toBe(1);
  });

  it('a body in very many pieces is too large, whatever its length', async () => {
    const { connect } = await serve(50, reading(served, 200_000));
    const client = connect();
    const answers = answersTo([client]);
    client.write(
      `POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(30_000)}`,
    );
    await eventually(() => client.destroyed);
    expect(answers[0]).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('Admission', () => {
  it('sheds the first request beyond the limit, in the format of the API that was asked', async () => {
    const { responses, handler, until } = waiting();
    const { ask } = await serve(2, handler);
    const served = [ask('/api/tasks/me'), ask('/graphql', '{}')];
    await until(2);
    const rest = await ask('/api/tasks/me');
    expect(rest.status).toBe(503);
    expect(rest.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '1',
    });
    const message = 'Service unavailable, nothing was changed';
    expect(JSON.parse(rest.body)).toEqual({ error: message });
    for (const path of ['/graphql', '/graphql?query={me{id}}', '/GraphQL/']) {
      const { status, headers, body } = await ask(path, '{}');
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      const extensions = {
        code: 'SERVICE_UNAVAILABLE',
        reason: 'OVERLOADED',
        outcome: 'NOT_APPLIED',
        retryAfter: 1,
      };
      expect(JSON.parse(body)).toEqual({ errors: [{ message, extensions }] });
    }
    expect(responses).toHaveLength(2);
    for (const response of responses) response.end('served');
    expect((await Promise.all(served)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('answers in the media type of GraphQL where the client takes it: else some clients read nothing', async () => {
    const { responses, handler, until } = waiting();
    const { ask } = await serve(1, handler);
    const served = ask('/');
    await until(1);
    const type = 'application/graphql-response+json';
    const typeFor = async (accept: string) =>
      (await ask('/graphql', '{}', { accept })).headers['content-type'];
    expect(await typeFor(`${type},application/json;q=0.9`)).toBe(`${type}; charset=utf-8`);
    expect(await typeFor('application/json')).toBe('application/json; charset=utf-8');
    for (const response of responses) response.end('served');
    await served;
  });

  it('admits a request for each one that was answered', async () => {
    const { responses, handler, until } = waiting();
    const { ask } = await serve(1, handler);
    for (let turn = 1; turn <= 3; turn += 1) {
      const served = ask('/');
      await until(turn);
      expect((await ask('/')).status).toBe(503);
      responses.at(-1)?.end('served');
      expect((await served).body).toBe('served');
    }
  });

  it('always admits health checks', async () => {
    const { handler, until } = waiting();
    const { ask, connect } = await serve(1, (request, response) => {
      if (request.url?.startsWith('/health/')) response.end('well');
      else handler(request, response);
    });
    connect().write(GET);
    await until(1);
    expect((await ask('/')).status).toBe(503);
    expect(await ask('/health/live')).toMatchObject({ status: 200, body: 'well' });
    expect(await ask('/health/ready')).toMatchObject({ status: 200, body: 'well' });
  });

  it('answers a health check in a scope of its own, whatever request came before it on the connection', async () => {
    const asked: unknown[] = [];
    const { connect } = await serve(10, (request, response) => {
      if (request.url === '/health/ready') {
        asked.push(currentRequest());
        response.end();
      } else asRequest(60_000, () => setImmediate(() => response.end()), 'ana');
    });
    connect().write(`${GET}GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n`);
    await eventually(() => asked.length === 1);
    expect(asked).toEqual([null]);
  });

  it('always admits preflights', async () => {
    const { handler, until } = waiting();
    const { ask, connect } = await serve(1, (request, response) => {
      if (request.method === 'OPTIONS') response.writeHead(204).end();
      else handler(request, response);
    });
    connect().write(GET);
    await until(1);
    expect((await ask('/')).status).toBe(503);
    const browser = connect();
    const answered = new Promise((resolve) => browser.once('data', (data) => resolve(String(data))));
    browser.write(GET.replace('GET', 'OPTIONS'));
    expect(await answered).toMatch(/^HTTP\/1.1 204 /);
  });

  it.each([0, 10, 60_000])(
    'leaves a connection usable whose request with %s bytes it refused',
    async (size) => {
      const { responses, handler, until } = waiting();
      const { ask, connect } = await serve(1, handler);
      connect().write(GET);
      await until(1);
      await ask('/');
      expect(await ask('/', Buffer.alloc(size))).toMatchObject({ status: 503, isReused: true });
      responses[0]?.end();
      const last = eventually(async () => {
        const answer = ask('/', 'x');
        await Promise.race([until(2), answer]);
        responses[1]?.end('served');
        return (await answer).status === 200 && answer;
      });
      expect(await last).toMatchObject({ body: 'served', isReused: true });
    },
  );

  it.each([
    ['a large body', { 'content-length': '1000000' }],
    ['a body without a length', { 'transfer-encoding': 'chunked' }],
  ])('does not wait for %s that it refused', async (_what, headers) => {
    const { handler, until } = waiting();
    const { ask, connect } = await serve(1, handler);
    connect().write(GET);
    await until(1);
    const refused = await ask('/', Buffer.alloc(1_000_000), headers);
    expect(refused).toMatchObject({ status: 503, headers: { connection: 'close' } });
  });

  it('holds no slot for a request while its body arrives slowly', async () => {
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(
      1,
      reading((request, response) => {
        if (request.url === '/slow') handler(request, response);
        else response.end('served');
      }),
    );
    const slow = connect();
    slow.write(`POST /slow HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Length: 10\r\n\r\n"half,`);
    for (let count = 0; count < 3; count += 1) {
      expect(await ask('/', 'x')).toMatchObject({ status: 200, body: 'served' });
    }
    slow.write('all"');
    await until(1);
    expect((await ask('/', 'x')).status).toBe(503);
    responses[0]?.end();
    await eventually(async () => (await ask('/', 'x')).status === 200);
  });

  it('admits no more than the limit when many bodies end at once', async () => {
    const { responses, handler, until } = waiting();
    const { connect } = await serve(2, reading(handler));
    let received = '';
    const slow = Array.from({ length: 5 }, () =>
      connect().on('data', (chunk) => {
        received += chunk;
      }),
    );
    for (const each of slow)
      each.write(`POST / HTTP/1.1\r\nHost: x\r\n${JSON_BODY}Content-Length: 2\r\n\r\n{`);
    const before = connect();
    before.write(GET);
    await until(1); // by when the others have been read as well
    responses[0]?.end();
    for (const each of slow) each.write('}');
    await eventually(() => received.match(/HTTP\/1.1 503 /g)?.length === 3);
    expect(responses).toHaveLength(3);
  });

  it('holds no slot for a client that reads its answer slowly', async () => {
    let isStuck = false;
    const { ask, connect } = await serve(1, (request, response) => {
      if (request.url !== '/large') return response.end('served');
      isStuck = !response.write(Buffer.alloc(50_000_000));
    });
    const slow = connect();
    slow.pause();
    slow.write(GET.replace('/', '/large'));
    await eventually(() => isStuck);
    expect(await ask('/')).toMatchObject({ status: 200, body: 'served' });
  });

  it('gives a connection one slot, however many requests it pipelines, and serves them in order', async () => {
    const { responses, handler, until } = waiting();
    const { ask, connect } = await serve(2, handler);
    const impatient = connect();
    const answers = answersTo([impatient]);
    impatient.write(GET + POST + GET);
    await until(1);
    const other = ask('/');
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
    expect(responses.map(({ req }) => req.url)).toEqual(['/', '/other']);
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
    clients.at(-1)?.write(GET.replace('/', '/health/live'));
    expect(await refused).toBeLessThan(10);
    await eventually(() => begun.length === 21);
    expect(begun.indexOf('/health/live')).toBeLessThan(10);
  });

  it('works on a hundred requests at a time, and on the next one when one of them is answered', async () => {
    const { responses, handler, until } = waiting();
    const { crowd } = await serve(150, handler);
    let refused = 0;
    for (const client of await crowd(151)) {
      client.once('data', (data) => {
        if (/^HTTP\/1.1 503 /.test(String(data))) refused += 1;
      });
      client.write(GET);
    }
    await eventually(() => refused === 1);
    await until(100);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(responses).toHaveLength(100);
    for (let count = 1; count <= 50; count += 1) {
      responses[count]?.end();
      await until(100 + count);
      expect(responses).toHaveLength(100 + count);
    }
  });

  it('works on ten requests of one user at a time, however many there are, and on those of others all the same', async () => {
    const { responses, handler, until } = waiting();
    const { crowd } = await serve(300, handler);
    const of = (user: string) => GET.replace('\r\n', `\r\nAuthorization: Bearer ${user}\r\n`);
    const clients = await crowd(130);
    for (const client of clients.slice(0, 120)) client.write(of('ana'));
    await until(10);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(responses).toHaveLength(10);
    for (const client of clients.slice(120)) client.write(of('bob'));
    await until(20);
    responses[0]?.end();
    await until(21);
  });

  it('has room for others, however many one user has waiting, and takes it from that one', async () => {
    const { responses, handler, until } = waiting();
    const { ask } = await serve(30, handler);
    const of = (user: string) => ({ Authorization: `Bearer ${user}` });
    const statuses: (number | undefined)[] = [];
    const asks = (user: string) =>
      ask('/api/tasks/me', undefined, of(user)).then(({ status }) => void statuses.push(status));
    const answers = Array.from({ length: 30 }, () => asks('ana'));
    await until(10);
    answers.push(asks('ana')); // she has the most, so it is she who is refused
    await eventually(() => statuses.join() === '503');
    answers.push(asks('bob'), asks('cid'));
    await until(12);
    await eventually(() => statuses.length === 3);
    expect(statuses).toEqual([503, 503, 503]);
    answers.push(asks('bob'));
    await until(13);
    for (let count = 0; count < 30; count += 1) {
      await until(count + 1);
      responses[count]?.end();
    }
    await Promise.all(answers);
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
  });

  it('does not begin requests that were abandoned', async () => {
    let begun = 0;
    const { crowd, ask } = await serve(100, (_request, response) => {
      work();
      begun += 1;
      response.end();
    });
    for (const client of await crowd(50)) client.write(GET, () => client.destroy());
    await eventually(() => begun > 0);
    await ask('/');
    expect(begun).toBeLessThan(30);
  });

  it('lets pages of the origins that are let in, and of no others, read its refusals', async () => {
    const { handler, until } = waiting();
    const { ask, connect } = await serve(1, handler, ['https://app.example.com']);
    connect().write(GET);
    await until(1);
    const refused = async (origin: string) => (await ask('/', undefined, { origin })).headers;
    expect(await refused('https://app.example.com')).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-expose-headers': 'Retry-After',
    });
    expect(await refused('https://elsewhere.example.com')).not.toHaveProperty('access-control-allow-origin');
  });

  it('counts an abandoned request until its work is done, and for no longer than a request may take', async () => {
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
    expect((await ask('/')).status).toBe(503);

    responses[0]?.end('too late');
    const third = ask('/');
    await until(3);
    expect((await ask('/')).status).toBe(503);

    vi.advanceTimersByTime(TIMES.longestWork);
    const fourth = ask('/');
    await until(4);
    for (const response of responses) response.end('served');
    expect((await Promise.all([third, fourth])).map(({ body }) => body)).toEqual(['served', 'served']);
  });

  it('takes the slot back when the work for a client that has gone has ended, though nobody ends the answer', async () => {
    const gone: Promise<unknown>[] = [];
    const { ask, connect } = await serve(1, (_request, response) => {
      if (gone.length > 0) return void response.end('served');
      gone.push(new Promise((resolve) => response.once('close', resolve)));
      noteWork(Promise.all(gone).then(() => Promise.reject(new Error('Nobody is left'))));
    });
    const client = connect();
    client.write(GET);
    await eventually(() => gone.length === 1);
    expect((await ask('/')).status).toBe(503);
    client.destroy();
    await eventually(async () => (await ask('/')).body === 'served');
  });

  it('holds no slot for requests that wait for a turn of their own, and refuses none of them afterwards', async () => {
    const turns: (() => void)[] = [];
    const { ask, crowd } = await serve(1, (request, response) => {
      if (request.url === '/other') return void response.end('served');
      const both = [1, 2].map(() => inLine(() => new Promise<void>((resolve) => turns.push(resolve))));
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

  it('counts no request twice: answers that end, fail or break off give back one slot each', async () => {
    const { ask, connect } = await serve(1, (request, response) => {
      if (request.url === '/broken') return void response.destroy();
      response.writeHead(request.url === '/failing' ? 500 : 200);
      response.write('begun ');
      response.end('and ended');
    });
    for (let count = 0; count < 3; count += 1) {
      expect((await ask('/')).status).toBe(200);
      expect((await ask('/failing', 'x')).status).toBe(500);
      expect((await ask('/')).body).toBe('begun and ended');
    }
    const broken = connect();
    broken.write(GET.replace('/', '/broken'));
    await new Promise((resolve) => broken.once('close', resolve));
  });
});
