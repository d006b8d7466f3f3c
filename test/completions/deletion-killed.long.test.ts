import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import { startPostgres } from '../support/server.js';
import type { RestClient } from '../support/world.js';

const DAY = 86_400_000;
const TASKS = [1, 2, 3, 4, 5, 6];
const EACH = 1_500;

/** A life of six tasks, each done often. */
function life() {
  const instant = (number: number) =>
    new Date(Date.parse('2021-01-01T12:00:00Z') + number * DAY).toISOString();
  const at = { createdAt: instant(0), updatedAt: instant(0) };
  return {
    ...{ format: 'steady-export', version: 2, account: { timeZone: null, dayStartsAt: 0 } },
    tasks: TASKS.map((id) => ({
      ...{ id, title: `Task ${id}`, points: id, isDailyRoutine: false, ...at },
      ...(id % 2 > 0 && { schedule: { timesPer: { count: 3, period: 'WEEK' } }, tags: ['odd'] }),
    })),
    challenges: [],
    completions: TASKS.flatMap((task) =>
      Array.from({ length: EACH }, (_, number) => ({
        ...{ task, points: task, completedAt: instant(number), recordedAt: instant(number) },
        day: instant(number).slice(0, 10),
      })),
    ),
    skips: TASKS.map((task) => ({ task, date: '2025-12-01' })),
    pauses: [],
  };
}

const ask = async (rest: RestClient, query: string, variables: object = {}) =>
  (await rest.ask(query, variables)).data;

async function onServer() {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await server.execute('create database steady');
  return { DATABASE_URL: server.url('steady'), DATA_DIR: temporaryFolder() };
}

it.each([
  ['a PostgreSQL server', onServer],
  ['the embedded database', async () => ({ DATA_DIR: dataDirectory() })],
])('A deletion that is killed on %s has deleted all of a task or nothing', async (_name, prepare) => {
  const environment = {
    ...(await prepare()),
    JWT_SECRET: 'a secret of the tests, of more than 32 characters',
  };
  let service = startService(environment);
  let base = await service.listening();
  const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
  const { token } = (await base.post('/api/auth/signup', account)).body;
  expect((await base.as(token).post('/account/import', life())).status).toBe(201);
  const read =
    '{ me { points } tasks(first: 100) { nodes { id title points completionCount } } completions { totalCount } }';
  const begin = async () => (await ask(base.as(token), read)).tasks.nodes as { id: string }[];

  const remove = async (id: string) => {
    const data = await ask(base.as(token), 'mutation ($id: ID!) { deleteTask(id: $id) { deletedId } }', {
      id,
    });
    return Boolean(data?.deleteTask);
  };
  const [first, ...others] = await begin();
  const began = performance.now();
  expect(await remove(first?.id ?? '')).toBe(true);
  const whole = performance.now() - began;

  let left = others.length;
  for (const [index, { id }] of others.entries()) {
    const answered = remove(id).catch(() => false);
    await delay((whole * index) / others.length); // each time later in the work
    await service.stop('SIGKILL');
    const wasAnswered = await answered;
    service = startService(environment);
    base = await service.listening();
    const { me, tasks, completions } = await ask(base.as(token), read);
    const isGone = tasks.nodes.every((task: { id: string }) => task.id !== id);
    if (wasAnswered) expect(isGone).toBe(true);
    if (isGone) left -= 1;
    expect(tasks.nodes.map(({ completionCount }: { completionCount: number }) => completionCount)).toEqual(
      Array(left).fill(EACH),
    );
    expect(completions.totalCount).toBe(EACH * left);
    const points = tasks.nodes.reduce((sum: number, task: { points: number }) => sum + task.points * EACH, 0);
    expect(me.points).toBe(points);
  }
  await service.stop();
  const verify = run('operation/commands/streaks-verify.js', environment);
  expect([await verify.exited, verify.output]).toEqual([0, 'Every counter agrees with its history.\n']);
});
