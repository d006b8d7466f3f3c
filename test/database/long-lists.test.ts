import { once } from 'node:events';
import net from 'node:net';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { challengeLimits } from '../../src/features/challenges/limits.js';
import { habitLimits } from '../../src/features/habits/limits.js';
import { proxiedDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { socketTo } from '../support/raw.js';
import type { Message } from '../support/wire-protocol.js';
import { type RestClient, refusal, type TestUser, world, worldOf } from '../support/world.js';

interface Filling {
  count: number;
  /** In characters of four bytes. */
  text?: number;
}

/** Several at the same instant, so that the order depends on their ids as well. */
const instant = sql`timestamptz '2026-01-01Z' + number / 7 * interval '1 second'`;

/** As if a user had made them long ago. */
const tasksOf = async (database: Database, { id }: TestUser, { count, text = 1 }: Filling) => {
  await sql`
    insert into tasks (user_id, title, description, points, is_daily_routine, completion_count, created_at, updated_at)
    select ${id}::uuid, 'Swim', repeat('😀', ${text}::int), 1, false, 0, ${instant}, ${instant}
    from generate_series(1, ${count}::int) as number
  `.execute(database.query());
};

const challengesOf = async (database: Database, { id }: TestUser, { count, text = 1 }: Filling) => {
  await sql`
    insert into user_challenges (user_id, template_id, status, start_date, notes, created_at, updated_at)
    select ${id}::uuid, 1, 'ABANDONED', ${instant}, repeat('😀', ${text}::int), ${instant}, ${instant}
    from generate_series(1, ${count}::int) as number
  `.execute(database.query());
};

interface Item {
  id: number;
  at: string;
}

interface List {
  path: string;
  fill: typeof tasksOf;
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  itemOf: (shown: any) => Item;
  order: 1 | -1;
}

const lists: [List, List] = [
  {
    path: '/api/tasks/me',
    fill: tasksOf,
    itemOf: ({ task }) => ({ id: task.id, at: task.created_at }),
    order: 1,
  },
  {
    path: '/api/user-challenges',
    fill: challengesOf,
    itemOf: ({ id, start_date }) => ({ id, at: start_date }),
    order: -1,
  },
];

const isRead = ({ type, text }: Message) => type === 'B' && /\bfrom "?(tasks|user_challenges)\b/.test(text);

/** A user with a list, in a database of its own, and how many times a list was read since. */
async function someoneWith(fill: List['fill'], filling: Filling) {
  const { database, proxy } = await proxiedDatabase();
  const { rest, newUser } = await world({ database });
  const ana = await newUser();
  await fill(database, ana, filling);
  let sent = 0;
  let most = Infinity;
  proxy.whenever(isRead, (wire) => {
    sent += 1;
    if (sent > most) wire.reset();
  });
  /** Nothing is read any more after so many. */
  const breakOffAfter = (count: number) => {
    most = count;
  };
  return { rest, ana, breakOffAfter, sent: () => sent };
}

/** In which a thousand rows are read. */
const PARTS = 10;

/** How many parts of a list are read while the service does so much else that all of them could be. */
async function readMeanwhile(rest: RestClient, sent: () => number): Promise<number> {
  for (let count = 0; count < 200 && sent() < PARTS; count += 1) await rest.get('/health/live');
  return sent();
}

/** The request as bytes, on a connection that is not read before the caller does. */
async function unreadAnswer({ base, token }: TestUser, path: string): Promise<net.Socket> {
  const socket = socketTo({ base });
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}

describe.each(lists)('The list of GET $path', ({ path, fill, itemOf, order }) => {
  it.each([101, 250])('has every one of %d rows, in order', async (count) => {
    const { ana, bea, database } = await worldOf('ana', 'bea');
    await fill(database, bea, { count: 3 });
    await fill(database, ana, { count });
    const { status, body, headers } = await ana.rest.get(path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const items: Item[] = body.map(itemOf);
    expect(new Set(items.map(({ id }) => id)).size).toBe(count);
    const inOrder = items.toSorted((a, b) => order * (a.at.localeCompare(b.at) || a.id - b.id));
    expect(items).toEqual(inOrder);
  });

  it('takes one statement, and tells its length, where it is short', async () => {
    const { ana, sent } = await someoneWith(fill, { count: 100 });
    const { text, headers } = await ana.rest.get(path);
    expect(sent()).toBe(1);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });
});

// Both are streamed by the same code.
describe('A long list', () => {
  const [{ path, fill }] = lists;

  it('is read no faster than its client takes it', async () => {
    const { ana, rest, sent } = await someoneWith(fill, { count: 1_000, text: 10_000 });
    const socket = await unreadAnswer(ana, path);
    await eventually(() => sent() > 0);
    expect(await readMeanwhile(rest, sent)).toBeLessThan(PARTS);
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
    expect(answer.match(/"user_id"/g)).toHaveLength(1_000);
    expect(sent()).toBe(PARTS);
  });

  it('is broken off where it cannot be read to its end, and never looks whole', async () => {
    const { ana, breakOffAfter } = await someoneWith(fill, { count: 250 });
    breakOffAfter(1);
    const socket = await unreadAnswer(ana, path);
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer.endsWith('0\r\n\r\n')).toBe(false);
    expect(answer.match(/"user_id"/g)).toHaveLength(100);
    breakOffAfter(Infinity);
    await expect(ana.rest.get(path)).resolves.toMatchObject({ status: 200 });
  });
});

describe('Beyond the most that a user can have,', () => {
  it('another task is refused on both APIs, exactly, however many requests come at once', async () => {
    const { ana, bea, database } = await worldOf('ana', 'bea');
    await tasksOf(database, ana, { count: habitLimits.tasks - 5 });
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
    await challengesOf(database, ana, { count: challengeLimits.challenges - 1 });
    const accept = (templateId = 1) => ana.rest.post('/api/user-challenges/accept', { templateId });
    const accepted = await accept();
    expect((await ana.rest.put(`/api/user-challenges/${accepted.body.id}/abandon`)).status).toBe(200);
    expect(await accept()).toEqual(
      refusal(400, `You can have at most ${challengeLimits.challenges} challenges`),
    );
    expect(await accept(999)).toEqual(refusal(404, 'Challenge template not found'));
  });
});
