import { expect, it } from 'vitest';
import { withLimits } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { holdCheckIns, numberOf, serviceOn } from '../support/service.js';
import { transports } from '../support/transports.js';
import { withServer } from '../support/with-server.js';
import { signUp } from '../support/world.js';

const server = withServer();

/** Nobody gives up before the test does, however busy the machine is. */
const PATIENT = {
  ...withLimits({ databasePoolSize: 4 }),
  WORKERS: '1', // each would have a part of the pool, and shares of its own
  REQUEST_TIMEOUT: '100000',
};

it('One user who waits for the database leaves others half of its connections, over every transport', async () => {
  const there = await serviceOn(server, PATIENT);
  const { ana, task, rest, direct } = there;
  const ben = rest.as((await signUp(rest)).token);
  const query = `mutation { completeTask(taskId: ${task.id}) { completion { id } } }`;
  const ways = [
    () => ana.completes(task),
    ...transports.map(
      ([, ask]) =>
        () =>
          ask(ana.base, { query, authorization: `Bearer ${ana.token}` }),
    ),
  ];
  for (const complete of ways) {
    const held = await holdCheckIns(there);
    const asked = Array.from({ length: 12 }, complete);
    const waiting = () => numberOf(direct, 'pg_locks where not granted');
    await eventually(async () => (await waiting()) === 2);
    for (let round = 0; round < 20; round += 1) expect((await ben.get('/api/user/profile')).status).toBe(200);
    expect(await waiting()).toBe(2);
    await held.release();
    await Promise.all(asked);
  }
  expect(await ana.profile()).toMatchObject({ points: 120 * ways.length });
});

it('One user has the room of one, however many tokens there are and however they are written', async () => {
  const there = await serviceOn(server, { ...PATIENT, REQUEST_TIMEOUT: '10000' });
  const { ana, task, rest } = there;
  const ben = rest.as((await signUp(rest)).token);
  const tokens = [ana.token];
  for (let count = 0; count < 10; count += 1) {
    tokens.push((await rest.post('/api/auth/login', ana.account)).body.token);
    const query = `mutation { createApiToken(input: { name: "${count}", scopes: [READ, COMPLETIONS] }) { token } }`;
    const { body } = await ana.rest.post('/graphql', { query });
    tokens.push(body.data.createApiToken.token);
  }
  for (const token of tokens) expect((await rest.as(token).get('/api/tasks/me')).status).toBe(200);
  const schemes = ['Bearer', 'bearer', 'BEARER', 'bEARER', 'beareR'];
  const spelled = Array.from({ length: 350 }, (_, index) => {
    const blanks = ' '.repeat(1 + Math.floor(index / schemes.length));
    return `${schemes[index % schemes.length]}${blanks}${tokens[index % tokens.length]}`;
  });

  const held = await holdCheckIns(there);
  const statuses: number[] = [];
  const asked = spelled.map(async (authorization) => {
    const { status } = await rest.post('/api/task-completions', { task_id: task.id }, { authorization });
    statuses.push(status);
  });
  await eventually(() => statuses.length >= 50);
  for (let round = 0; round < 20; round += 1) expect((await ben.get('/api/user/profile')).status).toBe(200);
  await held.release();
  await Promise.all(asked);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
});
