import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { withLimits } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { serviceOn } from '../support/service.js';
import { transports } from '../support/transports.js';
import { withServer } from '../support/with-server.js';
import type { TestUser } from '../support/world.js';

const server = withServer();

/** Nobody gives up before the test does, however busy the machine is. */
const PATIENT = {
  ...withLimits({ databasePoolSize: 4 }),
  WORKERS: '1', // each would have a part of the pool, and shares of its own
  REQUEST_TIMEOUT: '100000',
};

const ways: [name: string, complete: (ana: TestUser, task: { id: number }) => Promise<unknown>][] = [
  ['REST', (ana, task) => ana.completes(task)],
  ...transports.map(([name, ask]): (typeof ways)[number] => [
    `GraphQL over ${name}`,
    (ana, { id }) =>
      ask(ana.base, {
        query: `mutation { completeTask(taskId: ${id}) { completion { id } } }`,
        authorization: `Bearer ${ana.token}`,
      }),
  ]),
];

it.each(ways)(
  'One user who waits for the database leaves others half of its connections, over %s',
  async (_way, complete) => {
    const { ana, task, rest, direct } = await serviceOn(server, PATIENT);
    const account = { name: 'Ben', email: `${randomUUID()}@example.com`, password: 'secret1' };
    const ben = rest.as((await rest.post('/api/auth/signup', account)).body.token);
    const waiting = async (): Promise<number> =>
      (await direct.query('select count(*)::int from pg_locks where not granted')).rows[0].count;

    await direct.query('begin');
    await direct.query('select from user_progress where user_id = $1 for update', [ana.id]);
    const asked = Array.from({ length: 12 }, () => complete(ana, task));
    await eventually(async () => (await waiting()) === 2);
    for (let round = 0; round < 20; round += 1) expect((await ben.get('/api/user/profile')).status).toBe(200);
    expect(await waiting()).toBe(2);
    await direct.query('commit');
    await Promise.all(asked);
    expect(await ana.profile()).toMatchObject({ points: 120 });
  },
);

it('One user has the room of one, however many tokens there are and however they are written', async () => {
  const { ana, task, rest, direct } = await serviceOn(server, { ...PATIENT, REQUEST_TIMEOUT: '10000' });
  const account = { name: 'Ben', email: `${randomUUID()}@example.com`, password: 'secret1' };
  const ben = rest.as((await rest.post('/api/auth/signup', account)).body.token);
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

  await direct.query('begin');
  await direct.query('select from user_progress where user_id = $1 for update', [ana.id]);
  const statuses: number[] = [];
  const asked = spelled.map(async (authorization) => {
    const { status } = await rest.post('/api/task-completions', { task_id: task.id }, { authorization });
    statuses.push(status);
  });
  await eventually(() => statuses.length >= 50);
  for (let round = 0; round < 20; round += 1) expect((await ben.get('/api/user/profile')).status).toBe(200);
  await direct.query('commit');
  await Promise.all(asked);
  expect(new Set(statuses)).toEqual(new Set([201, 503]));
});
