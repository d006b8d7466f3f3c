import { once } from 'node:events';
import type net from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { challengeLimits } from '../../src/features/challenges/limits.js';
import { habitLimits } from '../../src/features/habits/limits.js';
import { proxiedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { socketTo } from '../support/raw.js';
import type { Message } from '../support/wire-protocol.js';
import { refusal, type TestUser, world, worldOf } from '../support/world.js';

/** Several at the same instant, so that the order depends on their ids as well. */
const instant = sql`timestamptz '2026-01-01Z' + number / 7 * interval '1 second'`;

/** So many, as if a user had made them long ago; with texts of so many characters of four bytes. */
const tasksOf = async (database: Database, { id }: TestUser, count: number, text = 1) => {
  await sql`
    insert into tasks (user_id, title, description, points, is_daily_routine, completion_count, created_at, updated_at)
    select ${id}::uuid, 'Swim', repeat('😀', ${text}::int), 1, false, 0, ${instant}, ${instant}
    from generate_series(1, ${count}::int) as number
  `.execute(database.query());
};

const challengesOf = async (database: Database, { id }: TestUser, count: number) => {
  await sql`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select ${id}::uuid, 1, 'ABANDONED', ${instant}, ${instant}, ${instant}
    from generate_series(1, ${count}::int) as number
  `.execute(database.query());
};

interface Shown {
  id: number;
  created_at: string;
}

const TASKS = '/api/tasks/me';
const CHALLENGES = '/api/user-challenges';

const isRead = ({ type, text }: Message) => type === 'B' && /\bfrom "?(tasks|user_challenges)\b/.test(text);

/** In a database of its own: somebody, how many times a list was read, and what breaks off after so many. */
async function watched() {
  const { database, proxy } = await proxiedDatabase();
  const { rest, newUser } = await world({ database });
  const reads = { sent: 0, most: Infinity };
  proxy.whenever(isRead, (wire) => {
    reads.sent += 1;
    if (reads.sent > reads.most) wire.reset();
  });
  return { database, rest, ana: await newUser(), reads };
}

/** The request as bytes, on a connection that is not read before the caller does. */
async function unreadAnswer({ base, token }: TestUser): Promise<net.Socket> {
  const socket = socketTo({ base });
  await once(socket, 'connect');
  socket.pause();
  const head = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${token}`;
  socket.write(`GET ${TASKS} HTTP/1.1\r\n${head}\r\n\r\n`);
  return socket;
}

it.each([
  ['tasks, oldest first', TASKS, tasksOf, 1],
  ['challenges, newest first', CHALLENGES, challengesOf, -1],
] as const)(
  'The list of all %s, is whole and in order, however long it is',
  async (_of, path, fill, order) => {
    const { ana, bea, database } = await worldOf('ana', 'bea');
    await fill(database, bea, 3);
    for (const count of [101, 250]) {
      await fill(database, ana, count === 101 ? 101 : 149);
      const { status, body, headers } = await ana.rest.get(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      const shown: Shown[] = path === TASKS ? body.map(({ task }: { task: Shown }) => task) : body;
      expect(new Set(shown.map(({ id }) => id)).size).toBe(count);
      const inOrder = shown.toSorted(
        (a, b) => order * (a.created_at.localeCompare(b.created_at) || a.id - b.id),
      );
      expect(shown).toEqual(inOrder);
    }
  },
);

it('A short list takes one statement, and tells its length', async () => {
  const { ana, database, reads } = await watched();
  await tasksOf(database, ana, 100);
  await challengesOf(database, ana, 100);
  for (const [index, path] of [TASKS, CHALLENGES].entries()) {
    const { text, headers } = await ana.rest.get(path);
    expect(reads.sent).toBe(index + 1);
    expect(headers.get('content-length')).toBe(`${Buffer.byteLength(text)}`);
  }
});

it('A long list is read no faster than its client takes it, and never looks whole where it is broken off', async () => {
  const { ana, rest, database, reads } = await watched();
  await tasksOf(database, ana, 600, 10_000);
  const slow = await unreadAnswer(ana);
  await eventually(() => reads.sent > 0);
  // The service does so much else meanwhile that all of it could be read.
  for (let count = 0; count < 200 && reads.sent < 6; count += 1) await rest.get('/health/live');
  expect(reads.sent).toBeLessThan(6);
  let shown = 0;
  for await (const chunk of slow) shown += `${chunk}`.split('"user_id"').length - 1;
  expect(Math.abs(shown - 600)).toBeLessThan(10); // but for what two chunks share
  expect(reads.sent).toBe(6);

  reads.most = 7;
  const broken = await unreadAnswer(ana);
  let answer = '';
  for await (const chunk of broken.setEncoding('utf8')) answer += chunk;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer.endsWith('0\r\n\r\n')).toBe(false);
  expect(answer.match(/"user_id"/g)).toHaveLength(100);
  reads.most = Infinity;
  await expect(ana.rest.get('/api/user/profile')).resolves.toMatchObject({ status: 200 });
});

describe('Beyond the most that a user can have,', () => {
  it('another task is refused on both APIs, exactly, however many requests come at once', async () => {
    const { ana, bea, database } = await worldOf('ana', 'bea');
    await tasksOf(database, ana, habitLimits.tasks - 5);
    const query = 'mutation { createTask(input: { title: "Swim" }) { task { id } } }';
    const asked = Array.from({ length: 20 }, (_, number) =>
      number % 2 ? ana.rest.post('/api/tasks', { title: 'Swim' }) : ana.rest.post('/graphql', { query }),
    );
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status, body }) => status === 400 || body.errors);
    expect(refused).toHaveLength(15);
    const message = `You can have at most ${habitLimits.tasks} tasks`;
    for (const answer of refused) {
      if (answer.status === 400) expect(answer).toEqual(refusal(400, message));
      else expect(answer.body.errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect((await ana.query('{ tasks { totalCount } }')).tasks.totalCount).toBe(habitLimits.tasks);
    expect((await bea.rest.post('/api/tasks', { title: 'Swim' })).status).toBe(201);
  });

  it('another challenge is refused', async () => {
    const { ana, database } = await worldOf('ana');
    await challengesOf(database, ana, challengeLimits.challenges - 1);
    const accept = (templateId = 1) => ana.rest.post('/api/user-challenges/accept', { templateId });
    const accepted = await accept();
    expect((await ana.rest.put(`/api/user-challenges/${accepted.body.id}/abandon`)).status).toBe(200);
    expect(await accept()).toEqual(
      refusal(400, `You can have at most ${challengeLimits.challenges} challenges`),
    );
    expect(await accept(999)).toEqual(refusal(404, 'Challenge template not found'));
  });
});
