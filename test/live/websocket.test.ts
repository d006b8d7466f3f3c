import type net from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Tokens } from '../../src/features/account/tokens.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import {
  code,
  PROGRESS,
  type Result,
  type Somewhere,
  socketAddress,
  streamOf,
  untilHeard,
} from '../support/live.js';
import { holding, untilSomeoneWaits } from '../support/locks.js';
import { HANDSHAKE, rawConnection } from '../support/raw.js';
import { SECRET, type TestUser, type World, world, worldOf } from '../support/world.js';

/** A WebSocket on which every frame is written by hand. */
async function rawSocket(somewhere: Somewhere, protocol = 'graphql-transport-ws') {
  const socket = new WebSocket(socketAddress(somewhere), protocol);
  const messages: Result[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const say = (message: unknown) =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  const { token } = somewhere;
  const greet = async () => {
    say({ type: 'connection_init', payload: token ? { Authorization: `Bearer ${token}` } : {} });
    await eventually(() => messages.some(({ type }) => type === 'connection_ack'));
  };
  const sayAtOnce = (all: object[]) => {
    const { _socket: connection } = socket as unknown as { _socket: net.Socket };
    connection.cork();
    for (const each of all) say(each);
    connection.uncork();
  };
  return { socket, messages, closed, say, sayAtOnce, greet };
}

const subscribe = (id: string, query = PROGRESS) => ({ id, type: 'subscribe', payload: { query } });
const QUERY = subscribe('1', '{ __typename }');
const greetingWith = (authorization: unknown) => ({ type: 'connection_init', payload: { authorization } });

const PING = { type: 'ping', payload: { inForce: true } };

/** Somebody, on a WebSocket that has been greeted. */
async function greeted() {
  const { ana, ...here } = await worldOf('ana');
  const socket = await rawSocket(ana);
  await socket.greet();
  return { ...socket, ana, here };
}

/** One that has asked for a subscription, which cannot be in force before `release`. */
async function subscribing() {
  const socket = await greeted();
  const { database } = socket.here;
  const release = await holding(database, sql`lock table listeners in share mode`);
  socket.say(subscribe('1'));
  return { ...socket, database, release };
}

describe('A WebSocket', () => {
  it('is pinged, and cut off when it does not answer', async () => {
    const here = await world({ config: { ...configOf(), liveHeartbeat: 1_000 } });
    const { socket, closed } = await rawSocket(here);
    await new Promise((resolve) => socket.once('ping', resolve));
    const silent = await rawConnection(here);
    silent.send(HANDSHAKE);
    await eventually(() => silent.isClosed);
    expect(socket.readyState).toBe(socket.OPEN);
    socket.close();
    await closed;
  });

  it('answers a ping that asks for it once the subscriptions before are in force', async () => {
    const { ana, database, messages, say, release } = await subscribing();
    say(PING);
    await untilSomeoneWaits(database);
    say({ type: 'ping' }); // asks for a sign of life
    await eventually(() => messages.length > 1);
    await ana.hasTask({ title: 'Read' });
    expect(messages.slice(1)).toEqual([{ type: 'pong' }]);
    await release();
    await eventually(() => messages.length > 2);
    expect(messages[2]).toEqual({ type: 'pong', payload: { inForce: true } });
    await ana.hasTask({ title: 'Swim' });
    await eventually(() => messages.length > 3);
    expect(messages[3]).toMatchObject({ id: '1', type: 'next' });
  });

  it('is closed at more pings than may wait for a subscription', async () => {
    const { closed, say, release } = await subscribing();
    for (let ping = 0; ping <= 100; ping += 1) say(PING);
    expect(await closed).toEqual({ code: 4429, reason: 'Too many pings' });
    await release();
  });

  it('is told to go elsewhere when the service stops', async () => {
    const { ana, here, messages, closed, say } = await greeted();
    say(subscribe('1'));
    await untilHeard(here, ana);
    await here.live.close();
    expect(await closed).toEqual({ code: 1001, reason: 'Going away' });
    expect(messages.map(({ type }) => type)).toEqual(['connection_ack']);
  });

  it.each([
    ['no JSON', ['hunter2'], 4400],
    ['no known message', [{ type: 'hunter2' }], 4400],
    ['a subscription before the greeting', [QUERY], 4401],
    ['too large a message', ['x'.repeat(262_145)], 1009],
    ['a token of nobody, before any operation', [greetingWith('Bearer none'), QUERY], 4401],
    ['another scheme', [greetingWith('Basic YTpi'), QUERY], 4401],
    ['a token that is no text', [greetingWith(7), QUERY], 4401],
  ])('is closed at %s', async (_what, said, code) => {
    const { closed, say, messages } = await rawSocket(await world());
    for (const message of said) say(message);
    expect((await closed).code).toBe(code);
    expect(messages).toEqual([]);
  });

  it('is opened without a token, for what needs none, but for no other protocol, nor at another path', async () => {
    const { base } = await world();
    const { messages, say, greet } = await rawSocket({ base });
    await greet();
    say(QUERY);
    await eventually(() => messages.length === 3);
    expect(messages[1]).toMatchObject({ type: 'next', payload: { data: { __typename: 'Query' } } });
    await expect(rawSocket({ base }, 'graphql-ws')).rejects.toThrow();
    const connection = await rawConnection({ base });
    connection.send(HANDSHAKE.replace('Sec-WebSocket-Protocol: graphql-transport-ws\r\n', ''));
    await eventually(() => connection.isClosed);
    expect(connection.received).toContain('Subprotocol not acceptable');
    await expect(rawSocket({ base: `${base}/api` })).rejects.toThrow('404');
  });

  it('has a limit of operations at a time, and of characters of an id', async () => {
    const { messages, say } = await greeted();
    for (let id = 1; id <= 101; id += 1) say(subscribe(String(id)));
    await eventually(() => messages.length > 1);
    expect(messages[1]).toMatchObject({ id: '101', type: 'error', payload: [code('TOO_MANY_REQUESTS')] });
    say({ ...QUERY, id: 'x'.repeat(256) });
    await eventually(() => messages.length > 2);
    expect(messages[2].payload).toEqual([code('BAD_USER_INPUT')]);
  });

  it('leaves no lease behind when ids are used again before their operations have begun', async () => {
    const { ana, here, sayAtOnce, messages, socket, closed } = await greeted();
    const again = Array.from({ length: 150 }, () => [subscribe('1'), { id: '1', type: 'complete' }]);
    sayAtOnce([...again.flat(), subscribe('2', '{ __typename }')]);
    await eventually(() => messages.some(({ id }) => id === '2'));
    socket.close();
    await closed;
    const listeners = sql`select from listeners where user_id = ${ana.id}`;
    await eventually(async () => (await listeners.execute(here.database.query())).rows.length === 0);
  });

  it('is refused operations that are too many for the service', async () => {
    const here = await world({ config: { ...configOf(), maxRequests: 1 } });
    const ana = await here.newUser();
    const swim = await ana.hasTask({ points: 2 });
    const { sayAtOnce, greet, messages } = await rawSocket(ana);
    await greet();
    const query = `mutation { completeTask(taskId: "${swim.id}") { isReplayed } }`;
    const held = sql`select from user_progress where user_id = ${ana.id} for update`;
    const release = await holding(here.database, held);
    sayAtOnce(Array.from({ length: 20 }, (_, id) => subscribe(`${id}`, query)));
    const answers = (type: string) => messages.filter((message) => message.type === type);
    await eventually(() => answers('error').length > 0);
    await release();
    await eventually(() => answers('next').length + answers('error').length === 20);
    const extensions = { reason: 'OVERLOADED', outcome: 'NOT_APPLIED', retryAfter: 1 };
    for (const { payload } of answers('error'))
      expect(payload).toMatchObject([{ message: 'Service unavailable, nothing was changed', extensions }]);
    expect((await ana.profile()).points).toBe(2 * answers('next').length);
  });
});

describe('A token that ends', () => {
  const endingToken = (here: World, { id }: TestUser) => {
    const { token, expiresAt } = new Tokens(SECRET, here.clock).issue(id);
    here.clock.set(new Date(expiresAt.getTime() - 150).toISOString());
    return { base: here.base, token };
  };

  it('closes its WebSocket as unauthorized, and ends its event stream with UNAUTHENTICATED', async () => {
    const here = await world();
    const [ana, ben] = [await here.newUser(), await here.newUser()];
    const { closed, greet } = await rawSocket(endingToken(here, ana));
    await greet();
    expect(await closed).toEqual({ code: 4401, reason: 'Unauthorized' });
    const stream = await streamOf(endingToken(here, ben), PROGRESS);
    expect(await stream.next()).toEqual({ errors: [code('UNAUTHENTICATED')] });
    expect(await stream.next()).toBeUndefined();
  });

  it('is no good for the next operation on an open WebSocket', async () => {
    const { here, messages, say } = await greeted();
    here.clock.advance({ days: 31 });
    say(subscribe('1', '{ me { id } }'));
    await eventually(() => messages.length > 1);
    expect(messages[1].payload.errors).toEqual([code('UNAUTHENTICATED')]);
  });
});

it('A subscriber who reads nothing is cut off with a clear error, and disturbs nobody', async () => {
  const fields = Array.from({ length: 25 }, (_, index) => `t${index}: task { description }`).join(' ');
  const { ana, here, socket, messages, say } = await greeted();
  const { id } = await ana.hasTask({ description: '€'.repeat(10_000) });
  say(subscribe('1', `subscription { progressChanged { kind ${fields} } }`));
  await untilHeard(here, ana);
  const other = await streamOf(ana, 'subscription { progressChanged { kind } }');
  socket.pause();
  for (const times of [50, 99, 60]) {
    // Says it happened, in the end more often than can wait.
    await sql`select pg_notify('steady', json_build_object('topic', 'progress', 'userId', ${ana.id}::text, 'n', n,
      'event', json_build_object('kind', 'COMPLETION_RECORDED', 'taskId', ${id}::int))::text)
      from generate_series(1, ${times}::int) n`.execute(here.database.query());
    for (let event = 0; event < times; event += 1) await other.next();
  }
  socket.resume();
  await eventually(() => messages.at(-1).type === 'error');
  expect(messages.at(-1).payload).toEqual([code('TOO_MANY_REQUESTS')]);
  expect(messages.length).toBeLessThan(150);
});
