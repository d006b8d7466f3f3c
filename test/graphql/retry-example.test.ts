import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TASKS } from '../../examples/clients/documents.ts';
import * as graphqlRequest from '../../examples/clients/graphql-request.ts';
import { refusalIn, tap, untilAnswered } from '../../examples/clients/retry.ts';
import * as urql from '../../examples/clients/urql.ts';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { world, worldOf } from '../support/world.js';

/** The way to a service on which the first answers are lost, after their requests have been carried out. */
async function lossyWayTo(base: string, losses: number): Promise<string> {
  let left = losses;
  const server = http.createServer(async (request, response) => {
    const body = await textOf(request);
    const { 'content-length': _, host: __, connection: ___, ...headers } = request.headers;
    const answer = await fetch(base + request.url, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    const text = await answer.text();
    left -= 1;
    if (left >= 0) response.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

/** A service with room for one request at a time. */
const crowded = () => world({ config: { ...configOf(), maxRequests: 1 } });

describe('The example of sending again', () => {
  it('counts a tap once when the answer was lost on its way, however often', async () => {
    const { ana, base } = await worldOf('ana');
    const { id } = await ana.hasTask({ points: 10 });
    const client = graphqlRequest.connect(await lossyWayTo(base, 2), ana.token);
    expect(await tap(client, String(id))).toMatchObject({
      isReplayed: true,
      task: { today: { completionCount: 1 } },
    });
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });

  it('gets every tap through when the service refuses most of them, and counts each once', async () => {
    const { base, newUser } = await crowded();
    const ana = await newUser();
    const { id } = await ana.hasTask({ points: 10 });
    const sent = vi.spyOn(globalThis, 'fetch');
    onTestFinished(() => sent.mockRestore());
    const client = graphqlRequest.connect(base, ana.token);
    await Promise.all(Array.from({ length: 6 }, () => tap(client, String(id))));
    expect(sent.mock.calls.length).toBeGreaterThan(6);
    expect(await ana.profile()).toMatchObject({ points: 60 });
  });

  it('waits as long as the service says', async () => {
    const refused = {
      response: { errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfter: 7 } }] },
    };
    const ask = vi.fn().mockRejectedValueOnce(refused).mockResolvedValue('an answer');
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const answer = untilAnswered(ask);
    await vi.advanceTimersByTimeAsync(6_900);
    expect(ask).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('an answer');
  });

  it('sends nothing again that would be refused again', async () => {
    const { base } = await world();
    const client = graphqlRequest.connect(base, 'none of ours');
    const ask = vi.fn(() => graphqlRequest.listTasks(client));
    await expect(untilAnswered(ask)).rejects.toThrow('User not authenticated');
    expect(ask).toHaveBeenCalledOnce();
  });

  it('tells who would have to wait for minutes, at once', async () => {
    const { base, newUser } = await world({ config: { ...configOf(), loginAttemptsPerAccount: 1 } });
    const { account } = await newUser();
    const logIn = vi.fn(() => graphqlRequest.logIn(base, account.email, 'wrong password'));
    await expect(logIn()).rejects.toThrow('Invalid email or password');
    const refusal = refusalIn(await untilAnswered(logIn).catch((error) => error));
    expect(refusal).toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfter: expect.any(Number) });
    expect(refusal.retryAfter).toBeGreaterThan(30);
    expect(logIn).toHaveBeenCalledTimes(2);
  });
});

describe('A refusal by admission', () => {
  /** Asks until the service has too much to do. */
  const refusalAmong = (ask: () => Promise<unknown>) =>
    eventually(async () => {
      const results = await Promise.allSettled(Array.from({ length: 10 }, ask));
      return results.map((result) => result.status === 'rejected' && result.reason).find((reason) => reason);
    });
  const refused = { code: 'SERVICE_UNAVAILABLE', outcome: 'NOT_APPLIED', retryAfter: expect.any(Number) };

  it('says with each client that nothing was done, and when to send it again', async () => {
    const { base, newUser } = await crowded();
    const { token } = await newUser();
    const byRequest = graphqlRequest.connect(base, token);
    expect(refusalIn(await refusalAmong(() => graphqlRequest.listTasks(byRequest)))).toMatchObject(refused);
    const byUrql = () => urql.listTasks(urql.connect(base, token));
    expect(refusalIn(await refusalAmong(byUrql))).toMatchObject(refused);
    const link = new HttpLink({ uri: `${base}/graphql`, headers: { authorization: `Bearer ${token}` } });
    const byApollo = () => new ApolloClient({ link, cache: new InMemoryCache() }).query({ query: TASKS });
    expect(refusalIn(await refusalAmong(byApollo))).toMatchObject(refused);
  });

  it('says so in REST by Retry-After', async () => {
    const { newUser } = await crowded();
    const { rest } = await newUser();
    const busy = await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => rest.get('/api/tasks/me')));
      return answers.find(({ status }) => status === 503);
    });
    expect(busy?.headers.get('retry-after')).toBe('1');
  });
});
