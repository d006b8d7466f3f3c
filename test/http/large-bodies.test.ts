import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { parsedInTurn } from '../../src/http/body.js';
import { socketAddress } from '../support/live.js';
import { type TestUser, world, worldOf } from '../support/world.js';
import { exported } from '../takeout/exported.js';

const LARGE = 20_000;

/** Somebody else's body has just been parsed, which took so long that nobody may be parsed for three times that. */
async function lineIsHeldUp() {
  await parsedInTurn(LARGE, 'a stranger', () => {
    const until = performance.now() + 1_500;
    while (performance.now() < until);
  });
  onTestFinished(async () => {
    const isFree = () => parsedInTurn(LARGE, 'the next test', () => true).catch(() => false);
    while (!(await isFree()));
  });
}

const NOTE = 'n'.repeat(1_000);

const COMPLETE = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id } error { message } } } }`;

const batchOf = (task: { id: number }) => ({
  input: Array.from({ length: 20 }, (_, number) => ({
    taskId: task.id,
    idempotencyKey: `${number}`,
    note: NOTE,
  })),
});

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

it('A hundred people who send a large batch or a file at once are all served', async () => {
  const { newUser } = await world();
  const people: TestUser[] = [];
  while (people.length < 100)
    people.push(...(await Promise.all(Array.from({ length: 10 }, () => newUser()))));
  const [bringing, doing] = [people.slice(0, 20), people.slice(20)];
  const tasks = await Promise.all(doing.map((person) => person.hasTask()));
  const maker = await newUser();
  for (const title of ['Swim', 'Run']) await maker.hasTask({ title, description: 'd'.repeat(9_000) });
  const file = await exported(maker);
  const sent = [
    ...bringing.map(({ rest }) => rest.post('/account/import', file)),
    ...doing.map(({ rest }, at) =>
      rest.post('/graphql', { query: COMPLETE, variables: batchOf(tasks[at] ?? { id: 0 }) }),
    ),
  ];
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(201), ...Array(80).fill(200)]);
  const results = answers.flatMap(({ body }) => body.data?.completeTasks.results ?? []);
  expect(results).toHaveLength(1_600);
  expect(results.filter(({ completion }) => !completion)).toEqual([]);
});
