import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { inOrder } from '../../src/graphql/live/messages.js';
import { bytesBody, jsonBody, parsedFairly, type WithBody } from '../../src/http/body.js';
import { serve } from '../support/admission.js';
import { eventually } from '../support/eventually.js';

const BRACKETS = `${'['.repeat(120_000)}${']'.repeat(120_000)}`;

/** Answers when it has parsed the body. */
async function parsing() {
  const readJson = jsonBody(1_000_000);
  const order: string[] = [];
  const served = await serve(100, (request: WithBody, response) => {
    readJson(request, response)
      .catch(() => {})
      .finally(() => {
        order.push(request.headers.authorization ?? 'nobody');
        response.end();
      });
  });
  return { ...served, order };
}

describe('Large bodies', () => {
  it.each([
    ['of a usual request', {}],
    ['in pieces', { 'transfer-encoding': 'chunked' }],
    ['in another spelling', { 'content-type': 'application/json; charset="utf-8"' }],
  ])(
    '%s are parsed in turn: one of somebody else does not wait for all of a flood',
    async (_what, headers) => {
      const { ask, order } = await parsing();
      const as = (Authorization: string) => ({
        'content-type': 'application/json',
        ...headers,
        Authorization,
      });
      const flood = Array.from({ length: 20 }, () => ask('/graphql', BRACKETS, as('a stranger')));
      await eventually(() => order.length > 0);
      const others = [ask('/graphql', BRACKETS, as('ana')), ask('/graphql', '{}', as('bob'))];
      await Promise.all([...flood, ...others]);
      expect(order.indexOf('ana')).toBeLessThan(10);
      expect(order.indexOf('bob')).toBeLessThan(10);
      expect(order).toHaveLength(22);
    },
  );

  it('on WebSockets take such turns too, and what comes behind them stays behind them', async () => {
    const { ask, order } = await parsing();
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', allowSynchronousEvents: false });
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    server.on('connection', (socket) => {
      const take = (message: unknown) => order.push((message as { id: string }).id);
      inOrder(socket, () => 'a stranger', take);
    });
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => client.terminate());
    await once(client, 'open');
    const sent: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      for (const [size, payload] of [
        ['large', BRACKETS],
        ['small', '{}'],
      ] as const) {
        client.send(`{"id":"${size} ${turn}","payload":${payload}}`);
        sent.push(`${size} ${turn}`);
      }
    }
    await eventually(() => order.length > 0);
    await ask('/graphql', BRACKETS, { 'content-type': 'application/json', Authorization: 'ana' });
    await eventually(() => order.length === sent.length + 1);
    expect(order.filter((each) => each !== 'ana')).toEqual(sent);
    expect(order.indexOf('ana')).toBeLessThan(sent.length);
  });

  it('have room for a hundred: one more is refused at once, and somebody with many makes room for others', async () => {
    const parsed: string[] = [];
    const send = (owner: string) =>
      parsedFairly(20_000, owner, () => void parsed.push(owner)).then(
        () => 'parsed',
        ({ reason }) => reason,
      );
    await send('somebody'); // it rests after that
    const flood = Array.from({ length: 120 }, () => send('a stranger'));
    const others = Array.from({ length: 3 }, (_, number) => send(`person ${number}`));
    const outcomes = await Promise.all(flood);
    expect(await Promise.all(others)).toEqual(['parsed', 'parsed', 'parsed']);
    expect(outcomes.filter((each) => each === 'OVERLOADED').length).toBeGreaterThanOrEqual(23);
    expect(parsed.indexOf('person 2')).toBeLessThan(10);
  });

  it('take a third of the permits at most until they are parsed: small ones are served meanwhile', async () => {
    const held: ServerResponse[] = [];
    const { ask } = await serve(100, ({ headers }, response) => {
      if (headers['content-length'] === '2') response.end();
      else held.push(response);
    });
    for (let owner = 0; owner < 40; owner += 1) ask('/x', BRACKETS, JSON_TYPE);
    await eventually(() => held.length === 8);
    const small = Array.from({ length: 20 }, () => ask('/x', '{}', JSON_TYPE));
    expect((await Promise.all(small)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('keep no others waiting once they are parsed, or are not going to be', async () => {
    const readJson = jsonBody(1_000_000);
    const readBytes = bytesBody(1_000_000, ['application/json']);
    const held: ServerResponse[] = [];
    const { ask, connect } = await serve(100, (request: WithBody, response) => {
      if (request.url === '/file') {
        readBytes(request, response, () => {});
        held.push(response);
      } else readJson(request, response).then(() => held.push(response));
    });
    for (let owner = 0; owner < 10; owner += 1) connect().write(HALF_SENT.replace('/x', '/file'));
    await eventually(() => held.length === 10);
    const body = JSON.stringify('x'.repeat(20_000)); // large, and parsed at once on the busiest machine
    const asked = Array.from({ length: 14 }, () => ask('/x', body, JSON_TYPE));
    await eventually(() => held.length === 24);
    for (const response of held) response.end();
    await Promise.all(asked);
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };

const HALF_SENT =
  'POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\n{';
