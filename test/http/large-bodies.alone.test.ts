import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { inOrder } from '../../src/graphql/live/messages.js';
import { bytesBody, jsonBody, parsedFairly, type WithBody } from '../../src/http/body.js';
import { serve } from '../support/admission.js';
import { eventually } from '../support/eventually.js';

/** In bytes. */
const LARGE = 20_000;

/** A large body of somebody has just been parsed: nobody else's is until the answer is called, or the test is over. */
async function heldLine() {
  let goOn = () => {};
  await parsedFairly(LARGE, 'somebody', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementationOnce((release) => {
      goOn = release;
      timers.mockRestore();
      return { unref() {} } as NodeJS.Timeout;
    });
  });
  const once = () => {
    goOn();
    goOn = () => {};
  };
  onTestFinished(once);
  return once;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE_BODY = JSON.stringify('x'.repeat(LARGE));

/** Notes who asked, when it has parsed the body. */
async function parsing() {
  const readJson = jsonBody(1_000_000);
  const order: string[] = [];
  const served = await serve(100, (request: WithBody, response) => {
    readJson(request, response).finally(() => {
      order.push(request.headers.authorization ?? 'nobody');
      response.end();
    });
  });
  const ask = (Authorization: string, body: string, headers = {}) =>
    served.ask('/graphql', body, { ...JSON_TYPE, ...headers, Authorization });
  return { ...served, ask, order };
}

describe('Large bodies', () => {
  it('are parsed one by one, in whatever form they come, and owners take turns; small ones do not wait', async () => {
    const { ask, order, seen } = await parsing();
    const goOn = await heldLine();
    const spelled = { 'content-type': 'application/json; charset="utf-8"' };
    const forms = [{}, { 'transfer-encoding': 'chunked' }, spelled];
    const asked = forms.map((headers) => ask('a stranger', LARGE_BODY, headers));
    await eventually(() => seen.requests === 3);
    asked.push(ask('ana', LARGE_BODY));
    for (let count = 0; count < 10; count += 1) await ask('bob', '{}');
    expect(order).toEqual(Array(10).fill('bob'));
    goOn();
    await Promise.all(asked);
    expect(order.indexOf('ana')).toBeLessThan(12);
    expect(order).toHaveLength(14);
  });

  it('on WebSockets take such turns too, and what comes behind them stays behind them', async () => {
    const { ask, order, seen } = await parsing();
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
    const goOn = await heldLine();
    const sent = ['large 1', 'small 1', 'large 2', 'small 2', 'large 3'];
    for (const id of sent)
      client.send(`{"id":"${id}","payload":${id.startsWith('large') ? LARGE_BODY : '{}'}}`);
    const asked = ask('ana', LARGE_BODY);
    await eventually(() => seen.requests === 1);
    for (let count = 0; count < 10; count += 1) await ask('bob', '{}');
    expect(order.splice(0)).toEqual(Array(10).fill('bob'));
    goOn();
    await asked;
    await eventually(() => order.length === sent.length + 1);
    expect(order.filter((each) => each !== 'ana')).toEqual(sent);
    expect(order.indexOf('ana')).toBeLessThan(sent.length);
  });

  it('have room for a hundred: one more is refused at once, and somebody with many makes room for others', async () => {
    const goOn = await heldLine();
    const send = (owner: string) => parsedFairly(LARGE, owner, () => 'parsed').catch(({ reason }) => reason);
    const flood = Array.from({ length: 100 }, () => send('a stranger'));
    expect(await flood[99]).toBe('OVERLOADED');
    const others = [send('ana'), send('ben')];
    goOn();
    expect(await Promise.all(others)).toEqual(['parsed', 'parsed']);
    expect((await Promise.all(flood)).filter((outcome) => outcome === 'OVERLOADED')).toHaveLength(3);
  });

  it('take a third of the permits at most until they are parsed: small ones are served meanwhile', async () => {
    const held: ServerResponse[] = [];
    const { ask } = await serve(100, ({ headers }, response) => {
      if (headers['content-length'] === '2') response.end();
      else held.push(response);
    });
    for (let owner = 0; owner < 40; owner += 1) ask('/x', LARGE_BODY, JSON_TYPE);
    await eventually(() => held.length === 8);
    const small = Array.from({ length: 20 }, () => ask('/x', '{}', JSON_TYPE));
    expect((await Promise.all(small)).map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  it('keep no others waiting once they are parsed, or are not going to be', async () => {
    const [readJson, readBytes] = [jsonBody(1_000_000), bytesBody(1_000_000, ['application/json'])];
    const held: ServerResponse[] = [];
    const { ask, connect } = await serve(100, (request: WithBody, response) => {
      if (request.url !== '/file') return void readJson(request, response).then(() => held.push(response));
      readBytes(request, response, () => {});
      held.push(response);
    });
    const head = 'POST /file HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20000';
    for (let owner = 0; owner < 10; owner += 1) connect().write(`${head}\r\n\r\n{`);
    await eventually(() => held.length === 10);
    const asked = Array.from({ length: 14 }, () => ask('/x', LARGE_BODY, JSON_TYPE));
    await eventually(() => held.length === 24);
    for (const response of held) response.end();
    await Promise.all(asked);
  });
});
