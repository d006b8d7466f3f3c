import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Passwords } from '../../src/base/passwords/passwords.js';
import type { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/features/settings.js';
import { freshDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { PROGRESS, socketOf, streamOf } from '../support/live.js';
import { type Answer, refusal, type TestUser, world } from '../support/world.js';

let database: Database;

beforeAll(async () => {
  database = await freshDatabase(1);
});

afterAll(() => database.close());

/** A service that may carry out so many requests at a time, on a database with one connection. */
const smallWorld = (limit: number) => world({ database, config: { ...readConfig({}), maxRequests: limit } });

/** Until the answer is called, the database answers nobody else. */
async function occupy(): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let ended = Promise.resolve();
  await new Promise<void>((begun) => {
    ended = database.transaction(async (tx) => {
      await tx.execute('lock table tasks'); // reads go past the pool
      begun();
      await released;
    });
  });
  return () => {
    release();
    return ended;
  };
}

/** Asks so often at once while the database is busy, until so many have been refused; resolves with all answers. */
async function atOnce(count: number, refused: number, ask: () => Promise<Answer>) {
  const release = await occupy();
  let refusals = 0;
  const answers = Array.from({ length: count }, async () => {
    const answer = await ask();
    if (answer.status === 503) refusals += 1;
    return answer;
  });
  await eventually(() => refusals >= refused).finally(release);
  return Promise.all(answers);
}

const isRefused = ({ status }: Answer) => status === 503;
const taskList = (user: TestUser) => user.rest.get('/api/tasks/me');

/** How many requests are let in while nobody is answered. */
async function freePlaces(user: TestUser, limit: number): Promise<number> {
  const answers = await atOnce(limit + 2, 2, () => taskList(user));
  return answers.filter((answer) => !isRefused(answer)).length;
}

it('More requests than the service may carry out at a time change nothing where they are refused', async () => {
  const here = await smallWorld(3);
  const ana = await here.newUser();
  const answers = await atOnce(10, 7, () => ana.rest.post('/api/tasks', { title: 'Swim' }));
  const created = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
  expect(created).toHaveLength(3);
  const refused = refusal(503, 'Service unavailable, nothing was changed');
  expect(answers.filter(isRefused)).toEqual(Array(7).fill(refused));
  const { body } = await taskList(ana);
  expect(body.map(({ task }: { task: { id: number } }) => task.id)).toEqual(created.sort((a, b) => a - b));
});

it('A permit is free again after every kind of answer, and is not taken by those who only listen', async () => {
  const here = await smallWorld(3);
  const ana = await here.newUser();
  const { rest } = ana;
  const asking: [number, () => Promise<Answer>][] = [
    [401, () => here.rest.post('/api/tasks', { title: 'Swim' })],
    [404, () => rest.get('/nowhere')],
    [404, () => rest.post('/api/task-completions', { task_id: 999_999 })],
    [400, () => rest.post('/api/tasks', '{')],
    [413, () => rest.post('/api/tasks', { title: 'x'.repeat(300_000) })],
    [415, () => rest.post('/api/tasks', 'title', { 'content-type': 'text/plain' })],
    [200, () => rest.post('/graphql', { query: '{' })],
    [400, () => rest.post('/graphql', '{')],
    [200, () => rest.get('/api/tasks/me')],
  ];
  for (const [status, ask] of asking)
    for (let count = 0; count < 4; count += 1) expect((await ask()).status, String(ask)).toBe(status);
  for (let count = 0; count < 3; count += 1) {
    await streamOf(ana, PROGRESS);
    const next = socketOf(ana).iterate({ query: PROGRESS }).next();
    next.catch(() => {});
  }
  expect(await freePlaces(ana, 3)).toBe(3);
});

it('More passwords than can be hashed at once are all hashed in turn, while everything else is served', async () => {
  const passwords = new Passwords({ hashThreads: 1, hashCost: 4 });
  onTestFinished(() => passwords.close());
  const { rest, newUser } = await world({ passwords, config: readConfig({ REQUEST_TIMEOUT: '600000' }) });
  const ana = await newUser();
  const slow = `hmac-sha384+bcrypt:$2b$12$${'a'.repeat(53)}`; // takes about a quarter of a second
  const blocking = passwords.matches('secret1', slow);
  const answers = Array.from({ length: 20 }, () =>
    rest.post('/api/auth/signup', { name: 'Ana', email: `${randomUUID()}@example.com`, password: 'secret1' }),
  );
  expect((await ana.rest.post('/api/tasks', { title: 'Swim' })).status).toBe(201);
  await blocking;
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(201));
});
