import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { socketAddress } from '../support/live.js';
import { worldOf } from '../support/world.js';
import { heldLine, LARGE } from './held-line.js';

it('A large body that gets no turn to be parsed in time is refused as by every other line', async () => {
  const { ana } = await worldOf('ana');
  const socket = new WebSocket(socketAddress(ana), 'graphql-transport-ws');
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  await heldLine();
  const closed = once(socket, 'close');
  const filler = 'x'.repeat(LARGE);
  socket.send(JSON.stringify({ type: 'connection_init', payload: { filler } }));
  const [rest, graphql] = await Promise.all([
    ana.rest.post('/api/tasks', { title: 'Swim', description: filler }),
    ana.rest.post('/graphql', { query: '{ me { id } }', variables: { filler } }),
  ]);
  const message = 'Service unavailable, nothing was changed';
  expect([rest.status, rest.body]).toEqual([503, { error: message }]);
  expect(rest.headers.get('error-reason')).toBe('OVERLOADED');
  expect(graphql.status).toBe(503);
  expect(graphql.body.errors).toMatchObject([{ message, extensions: { reason: 'OVERLOADED' } }]);
  for (const { headers } of [rest, graphql]) expect(headers.get('retry-after')).toBe('1');
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1013, message]);
});
