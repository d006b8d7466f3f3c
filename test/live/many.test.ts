import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { Config } from '../../src/base/config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { code, PROGRESS, type Result, type Somewhere, socketAddress, streamOf } from '../support/live.js';
import { holding } from '../support/locks.js';
import { world } from '../support/world.js';

/** A WebSocket that has been greeted, unless it was closed, and what came over it. */
async function socketOf(somewhere: Somewhere, headers: Record<string, string> = {}) {
  const socket = new WebSocket(socketAddress(somewhere), 'graphql-transport-ws', { headers });
  onTestFinished(() => socket.terminate());
  const messages: Result[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const say = (message: object) => socket.send(JSON.stringify(message));
  const { token } = somewhere;
  say({ type: 'connection_init', payload: token ? { authorization: `Bearer ${token}` } : {} });
  await Promise.race([closed, eventually(() => messages.length > 0)]);
  const subscribe = (id: string, query: string) => say({ id, type: 'subscribe', payload: { query } });
  const of = (type: string) => messages.filter((message) => message.type === type);
  const leave = async () => {
    socket.close();
    await closed;
  };
  return { say, subscribe, of, leave, closed };
}

const configured = (changes: Partial<Config>) => ({ config: { ...configOf(), ...changes } });

describe('One user', () => {
  it('has a quota of subscriptions over all transports together, and room again when they end', async () => {
    const here = await world(configured({ liveMaxPerUser: 2 }));
    const [ana, ben] = [await here.newUser(), await here.newUser()];
    const socket = await socketOf(ana);
    const stream = await streamOf(ana, PROGRESS);
    for (const id of ['1', '2']) socket.subscribe(id, PROGRESS);
    await eventually(() => socket.of('error').length > 0);
    expect(socket.of('error')).toEqual([{ id: '2', type: 'error', payload: [code('TOO_MANY_REQUESTS')] }]);
    const answer = await ana.rest.post('/graphql', { query: PROGRESS }, { accept: 'text/event-stream' });
    const message = 'At most 2 subscriptions at a time for one user';
    const extensions = { code: 'TOO_MANY_REQUESTS', reason: 'TOO_MANY_ATTEMPTS' };
    expect([answer.status, answer.body]).toEqual([429, { errors: [{ message, extensions }] }]);
    expect((await streamOf(ben, PROGRESS)).response.status).toBe(200);
    stream.close();
    socket.say({ id: '1', type: 'complete' });
    await eventually(async () => (await streamOf(ana, PROGRESS)).response.status === 200);
  });

  it('has a quota of WebSockets, as have all clients without a token together', async () => {
    const { base, newUser } = await world(configured({ liveMaxPerUser: 1 }));
    for (const somewhere of [await newUser(), { base }]) {
      const first = await socketOf(somewhere);
      const second = await socketOf(somewhere);
      expect(await second.closed).toBe(4429);
      await first.leave();
      await eventually(async () => (await socketOf(somewhere)).of('connection_ack').length === 1);
    }
  });

  it('takes no more than some WebSockets from a network before it is known', async () => {
    const { base, newUser } = await world(configured({ liveMaxOfStrangers: 2 }));
    const ana = await newUser();
    const [one] = [await socketOf({ base }), await socketOf(ana), await socketOf(ana)];
    const other = await socketOf({ base });
    await expect(socketOf(ana)).rejects.toThrow('503');
    for (const stranger of [one, other]) await stranger.leave();
    await eventually(() => socketOf(ana).catch(() => null));
  });

  it('is refused subscriptions that would cost too much with each event, alone or together', async () => {
    const { newUser } = await world(configured({ liveMaxCost: 20 }));
    const ana = await newUser();
    const socket = await socketOf(ana);
    const fields = (count: number) =>
      Array.from({ length: count }, (_, index) => `c${index}: kind`).join(' ');
    socket.subscribe('heavy', `subscription { progressChanged { ${fields(20)} } }`);
    socket.subscribe('long', `subscription { progressChanged { kind } } #${'x'.repeat(16_384)}`);
    for (let id = 1; id <= 10; id += 1)
      socket.subscribe(String(id), `subscription { progressChanged { ${fields(15)} } }`);
    await eventually(() => socket.of('error').some(({ id }) => id === '10'));
    const [heavy, long, ...others] = socket.of('error');
    expect(heavy.payload).toEqual([code('QUERY_TOO_COMPLEX')]);
    expect(heavy.payload[0].extensions).toMatchObject({ limit: 'cost', maximum: 20, actual: 21 });
    expect(long.payload[0].extensions).toMatchObject({
      code: 'QUERY_TOO_COMPLEX',
      limit: 'subscription size',
    });
    for (const { payload } of others) expect(payload).toEqual([code('TOO_MANY_REQUESTS')]);
    expect(others.length).toBeLessThan(10);
  });
});

it('One process has a quota of subscriptions and WebSockets, and says when it is used up', async () => {
  const { base, newUser } = await world(configured({ liveMaxPerProcess: 1 }));
  const [ana, ben] = [await newUser(), await newUser()];
  const stream = await streamOf(ana, PROGRESS);
  const socket = await socketOf(ben);
  socket.subscribe('1', PROGRESS);
  await eventually(() => socket.of('error').length > 0);
  expect(socket.of('error')[0].payload).toEqual([code('SERVICE_UNAVAILABLE')]);
  const { response } = await streamOf(ben, PROGRESS);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  await expect(socketOf({ base })).rejects.toThrow('503');
  stream.close();
  await eventually(async () => (await streamOf(ben, PROGRESS)).response.status === 200);
});

it('Operations on WebSockets are at work as many at a time as the process may have', async () => {
  const { base, database, newUser } = await world(configured({ atWork: 1 }));
  const [ana, ben] = [await newUser(), await newUser()];
  const [ofAna, ofBen] = [await socketOf(ana), await socketOf(ben)];
  const answered: string[] = [];
  const hears = async (socket: typeof ofAna, id: string) => {
    await eventually(() => socket.of('complete').some((message) => message.id === id));
    answered.push(id);
  };
  ofBen.subscribe('first', '{ me { id } }'); // the first takes longer
  await hears(ofBen, 'first');
  const release = await holding(database, sql`select from users where id = ${ana.id} for update`);
  ofAna.subscribe('ana', 'mutation { updateProfile(input: { name: "Anna" }) { user { name } } }');
  for (let times = 0; times < 20; times += 1) await fetch(`${base}/health/live`); // which shares the event loop
  ofBen.subscribe('ben', '{ me { id } }');
  const heard = Promise.all([hears(ofAna, 'ana'), hears(ofBen, 'ben')]);
  for (let times = 0; times < 50; times += 1) await fetch(`${base}/health/live`);
  expect(answered).toEqual(['first']);
  await release();
  await heard;
});

it('Clients without a token who sign up again and again leave the room on WebSockets to others', async () => {
  // The only thread hashes for longer than the test takes: who signs up waits in that line.
  const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
  const { base } = await world({ passwords, ...configured({ trustProxy: 1, maxRequests: 20 }) });
  passwords.matches('', `hmac-sha384+bcrypt:$2b$24$${'.'.repeat(53)}`).catch(() => {});
  onTestFinished(() => passwords.close());
  const { token } = await (await world()).newUser();
  const socket = await socketOf({ base, token });
  for (const network of [1, 2, 3]) {
    const crowd = await socketOf({ base }, { 'X-Forwarded-For': `192.0.2.${network}` });
    for (let id = 1; id <= 15; id += 1) {
      const input = `{ name: "Eve", email: "${randomUUID()}@example.com", password: "secret1" }`;
      crowd.subscribe(String(id), `mutation { signUp(input: ${input}) { token } }`);
    }
  }
  await eventually(() => passwords.waiting >= 20);
  for (let id = 1; id <= 10; id += 1) socket.subscribe(String(id), '{ me { id } }');
  await eventually(() => socket.of('complete').length + socket.of('error').length === 10);
  expect(socket.of('error')).toEqual([]);
});
