import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PIECE, Receiving } from '../../src/http/receiving.js';
import { answersTo, GET, JSON_BODY, reading, serve, statusesIn, waiting } from '../support/admission.js';
import { eventually } from '../support/eventually.js';

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

  it.each([
    ['answered', (response: ServerResponse) => void response.write('begun')],
    ['served', () => {}],
  ])('who is %s before the body has come is cut off: there is no other answer', async (_what, begin) => {
    const begun: ServerResponse[] = [];
    const { ask, connect } = await serve(
      50,
      (request, response) => {
        if (request.url !== '/early') return reading(served, 10_000)(request, response);
        begin(response);
        begun.push(response);
      },
      [],
      new Receiving(2 * HALF),
    );
    const early = connect();
    const [answers, later] = [answersTo([early]), connect()];
    early.write(half().replace('/', '/early'));
    await eventually(() => begun.length > 0);
    const ofLater = answersTo([later]);
    later.write(half());
    await eventually(() => early.destroyed);
    expect(refusals(answers)).toBe(0);
    later.write('"');
    await eventually(() => ofLater[0]?.endsWith('served') ?? false);
    expect((await ask('/')).status).toBe(200);
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
