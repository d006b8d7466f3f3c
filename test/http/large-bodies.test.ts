import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { parsedFairly } from '../../src/http/body.js';
import { socketAddress } from '../support/live.js';
import { worldOf } from '../support/world.js';

const LARGE = 20_000;

/** Somebody else's body has just been parsed, which took so long that nobody may be parsed for three times that. */
async function lineIsHeldUp() {
  await parsedFairly(LARGE, 'a stranger', () => {
    const until = performance.now() + 1_500;
    while (performance.now() < until);
  });
  onTestFinished(async () => {
    const isFree = () => parsedFairly(LARGE, 'the next test', () => true).catch(() => false);
    while (!(await isFree()));
  });
}

it('A large body that gets no turn to be parsed in time is refused as by every other line', async () => {
  const { ana } = await worldOf('ana');
  const socket = new WebSocket(socketAddress(ana), 'graphql-transport-ws');
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  await lineIsHeldUp();
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { filler: 'x'.repeat(LARGE) } }));
  const [rest, graphql] = await Promise.all([
    ana.rest.post('/api/tasks', { title: 'Swim', description: 'x'.repeat(LARGE) }),
    ana.rest.post('/graphql', { query: '{ me { id } }', variables: { filler: 'x'.repeat(LARGE) } }),
  ]);
  const message = 'Service unavailable, nothing was changed';
  expect([rest.status, rest.body, rest.headers.get('error-reason')]).toEqual([
    503,
    { error: message },
    'OVERLOADED',
  ]);
  expect(graphql.status).toBe(503);
  expect(graphql.body.errors).toEqual([
    expect.objectContaining({ message, extensions: expect.objectContaining({ reason: 'OVERLOADED' }) }),
  ]);
  for (const { headers } of [rest, graphql]) expect(headers.get('retry-after')).toBe('1');
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1013, message]);
});
