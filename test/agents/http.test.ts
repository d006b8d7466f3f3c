import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/base/config.js';
import { currentRequestId } from '../../src/base/request.js';
import { createLog } from '../../src/telemetry/log.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { type RestClient, world } from '../support/world.js';
import { habitOf, tokenOf } from './agent.js';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const call = (name: string, args: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Sends it without the package of the protocol. */
const post = (rest: RestClient, body: unknown, headers: Record<string, string> = {}) =>
  rest.post('/mcp', body, { accept: 'application/json, text/event-stream', ...headers });

async function withToken(config?: Config) {
  const here = await world(config && { config });
  const ana = await here.newUser();
  const token = await tokenOf(ana);
  return { ...here, ana, token, agent: here.rest.as(token) };
}

const errorOf = (code: number, reason: string) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: expect.any(String), data: { reason } },
});

describe('Who may come in', () => {
  it('is an API token; whoever else is told so by 401 with a challenge', async () => {
    const { ana, rest, token, agent } = await withToken();
    expect((await post(agent, LIST)).status).toBe(200);
    const missing = await post(rest, LIST);
    expect([missing.status, missing.body]).toEqual([401, errorOf(-32000, 'TOKEN_MISSING')]);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="Steady"');
    for (const wrong of [ana.token, `${token.slice(0, -1)}0`, 'steady_nothing', 'nonsense']) {
      const answer = await post(rest.as(wrong), LIST);
      expect([answer.status, answer.body], wrong).toEqual([401, errorOf(-32000, 'TOKEN_INVALID')]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Steady", error="invalid_token"');
      expect(answer.headers.get('error-reason')).toBe('TOKEN_INVALID');
    }
  });

  it('is a page of our own origin or one in CORS_ORIGINS, with the headers of the protocol, and no other', async () => {
    const known = 'https://app.example.com';
    const { agent, rest, base } = await withToken(configOf({ CORS_ORIGINS: known }));
    for (const client of [agent, rest])
      for (const origin of ['https://evil.example', 'null', `${base}.evil.example`]) {
        const { status, body, headers } = await post(client, LIST, { origin });
        expect([status, body], origin).toEqual([403, errorOf(-32000, 'INVALID_INPUT')]);
        expect(headers.get('access-control-allow-origin')).toBeNull();
      }
    for (const origin of [base, known]) expect((await post(agent, LIST, { origin })).status).toBe(200);
    const asked = { origin: known, 'access-control-request-method': 'POST' };
    const { status, headers } = await rest.send('OPTIONS', '/mcp', undefined, asked);
    const allowed = headers.get('access-control-allow-headers');
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, known]);
    expect(allowed).toContain('Mcp-Protocol-Version');
  });
});

describe('Over HTTP', () => {
  it('an answer is one JSON text, which no cache keeps, whatever the client would take', async () => {
    const { agent } = await withToken();
    for (const accept of ['application/json', 'text/event-stream']) {
      const { status, body, headers } = await post(agent, LIST, { accept });
      expect([status, body.result.tools.length], accept).toEqual([200, 8]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    const told = await post(agent, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([told.status, told.text]).toEqual([202, '']);
  });

  it('what is no message of the protocol is an error of it, with 4xx', async () => {
    const { agent } = await withToken();
    const got = await agent.get('/mcp');
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    for (const params of ['x', null, { name: 1 }, { name: 'today', arguments: [] }])
      expect((await post(agent, { ...call('today'), params })).status).toBeLessThan(500);
    for (const body of ['{', '', 'null', '[]', '[{}]']) {
      const answer = await post(agent, body);
      expect(answer.status, body).toBe(400);
      expect(answer.body, body).toMatchObject({ jsonrpc: '2.0', error: { message: expect.any(String) } });
    }
    expect((await post(agent, '{')).body).toEqual(errorOf(-32700, 'INVALID_INPUT'));
    const plain = await post(agent, JSON.stringify(LIST), { 'content-type': 'text/plain' });
    expect([plain.status, plain.body]).toEqual([415, errorOf(-32000, 'INVALID_INPUT')]);
    const large = await post(agent, call('complete', { habit: 'x', note: 'x'.repeat(300_000) }));
    expect([large.status, large.body]).toEqual([413, errorOf(-32000, 'INVALID_INPUT')]);
    const version = await post(agent, LIST, { 'mcp-protocol-version': '1999-01-01' });
    expect([version.status, version.body.jsonrpc]).toEqual([400, '2.0']);
  });

  it('messages that come together are bounded, and each is answered, also one that is cancelled along with it', async () => {
    const { agent, ana } = await withToken();
    const habit = await habitOf(ana);
    const some = Array.from({ length: 18 }, (_, id) => call('complete', { habit }, id));
    const cancels = [2, 17].map((requestId) => ({
      ...{ jsonrpc: '2.0', method: 'notifications/cancelled' },
      params: { requestId },
    }));
    const { status, body } = await post(agent, [...cancels, ...some]);
    expect([status, body.length]).toEqual([200, 18]);
    const { task } = await ana.query(`{ task(id: "${habit}") { completionCount } }`);
    expect(task.completionCount).toBe(1);
    const more = await post(agent, [...cancels, ...some, LIST]);
    expect([more.status, more.body]).toEqual([400, errorOf(-32600, 'INVALID_INPUT')]);
  });

  it('the log has who asked and the reason of a refusal, and no secret', async () => {
    const lines: string[] = [];
    const settings = { logLevel: 'info', requestId: currentRequestId } as const;
    const log = createLog(settings, { write: (line) => void lines.push(line) });
    const here = await world({ log });
    const ana = await here.newUser();
    const token = await tokenOf(ana, ['READ']);
    const secret = 'a note that is nobody else’s business';
    const asked = call('complete', { habit: '1', note: secret });
    await post(here.rest.as(token), asked, { 'x-request-id': 'agent.1' });
    const line = await eventually(() => lines.find((each) => each.includes('"agent.1"')));
    expect(JSON.parse(line ?? '')).toMatchObject({
      ...{ route: '/mcp', method: 'POST', status: 200 },
      ...{ user: ana.id, outcome: 'SCOPE_MISSING' },
    });
    expect(lines.join('')).not.toContain(token);
    expect(lines.join('')).not.toContain(secret);
  });
});
