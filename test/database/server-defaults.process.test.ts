import { type KyselyPlugin, RawNode, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { statement } from '../../src/database/statement.js';
import { type ReminderTables, ringDue } from '../../src/features/reminders/reminder.queries.js';
import { insertReminders } from '../../src/features/schedules/reminder.queries.js';
import { readConfig } from '../../src/features/settings.js';
import { examine } from '../../src/operation/doctor/examination.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { addCrowd, PUBLIC_URL } from '../reminders/ringing.js';
import { configOf } from '../support/database.js';
import { Receiver } from '../support/receivers.js';
import { type PostgresServer, startAsItComes } from '../support/server.js';
import { TestClock, world } from '../support/world.js';

// The server has PostgreSQL's own settings: jit, work_mem, parallel workers, shared_buffers, all of them.

let server: PostgresServer;

beforeAll(async () => {
  server = await startAsItComes();
  return server.stop;
});

let count = 0;

async function newDatabase(): Promise<string> {
  count += 1;
  await server.execute(`create database own_${count}`);
  return server.url(`own_${count}`);
}

const open = async (url: string, config = readConfig({ DATABASE_URL: url })): Promise<Database> => {
  const database = await openDatabase({ ...config, databaseUrl: url });
  onTestFinished(() => database.close());
  return database;
};

const AT_EIGHT = '2026-11-22T08:00:00Z';
const due = { since: new Date('2026-11-22T07:30:00Z'), kinds: ['NTFY'], except: [] };

/** Tells what the planner expects, in the place of rows. */
const planned: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (!RawNode.is(node)) throw new Error('Not a text');
    const [first, ...others] = node.sqlFragments;
    return { ...node, sqlFragments: [`explain ${first}`, ...others] };
  },
  transformResult: async ({ result }) => {
    costs.push(Number(/cost=[\d.]+\.\.([\d.]+)/.exec(String(Object.values(result.rows[0] ?? {})[0]))?.[1]));
    return result;
  },
};
const costs: number[] = [];

describe('On a server as it comes', () => {
  it('no session of ours compiles statements, or writes days in another way', async () => {
    const url = await newDatabase();
    await server.execute(`alter database own_${count} set datestyle = 'German'`);
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    expect((await other.query('show jit')).rows).toEqual([{ jit: 'on' }]);
    const database = await open(url);
    const asked = sql<{ jit: string; day: string }>`
      select current_setting('jit') as jit, date '2026-11-22' as day`;
    const ours = [{ jit: 'off', day: '2026-11-22' }];
    expect((await asked.execute(database.query())).rows).toEqual(ours);
    expect(await database.snapshot(async (query) => (await asked.execute(query)).rows)).toEqual(ours);
    const read = statement((_query, _: object) => asked);
    for (let turn = 0; turn < 3; turn += 1) expect(await database.run(read, {})).toEqual(ours);
  });

  it('the doctor finds all in order, and names what a database changes', async () => {
    const DATABASE_URL = await newDatabase();
    const found = async () =>
      (await examine(new TestClock(), { DATABASE_URL }))
        .filter(({ about }) => about === 'settings')
        .map(({ state, message }) => [state, message]);
    expect(await found()).toEqual([['ok', expect.any(String)]]);
    await server.execute(`alter database own_${count} set synchronous_commit = off`);
    await server.execute(`alter database own_${count} set array_nulls = off`);
    expect(await found()).toEqual([
      ['warning', expect.stringMatching(/^array_nulls is off: /)],
      ['warning', expect.stringMatching(/^synchronous_commit is off: /)],
    ]);
  });

  it('the planner takes what reminders ask for none that would be compiled', async () => {
    const database = await open(await newDatabase());
    await addCrowd(database, { users: 300, channels: 1, kind: 'NTFY', ringsAt: AT_EIGHT });
    await sql`analyze`.execute(database.query());
    const query = database.query<ReminderTables>().withPlugin(planned);
    await ringDue(query, { ...due, now: new Date(AT_EIGHT) });
    const times = Array.from({ length: 1_000 }, (_, minute) => ({ taskId: null, minute, weekdays: 127 }));
    await insertReminders(query, '00000000-0000-4000-8000-000000000001', times, new Date(AT_EIGHT));
    expect(costs).toHaveLength(2);
    expect(Math.max(...costs)).toBeLessThan(100_000); // jit_above_cost
  });

  it('964 people who are due in one minute are told within the next, by two processes', async () => {
    const url = await newDatabase();
    const ntfy = await new Receiver().start();
    const clock = new TestClock();
    const start = async () => {
      const config = readConfig({ NTFY_URL: ntfy.url, PUBLIC_URL, DATABASE_URL: url });
      return world({ database: await open(url, config), clock, config });
    };
    const [one, two] = [await start(), await start()];
    await addCrowd(one.database, { users: 964, channels: 1, kind: 'NTFY', ringsAt: AT_EIGHT });
    for (const minute of ['08:00', '08:01']) {
      clock.set(`2026-11-22T${minute}:00Z`);
      await Promise.all([one, two].map(({ reminders }) => reminders.job.run()));
      await Promise.all([one, two].map(({ reminders }) => reminders.sender.run()));
    }
    expect(new Set(ntfy.taken.map(({ body }) => body.topic)).size).toBe(964);
    expect(ntfy.taken).toHaveLength(964);
  });

  it('an account imports ten thousand reminders of different times, moves to another zone and lists them', async () => {
    const url = await newDatabase();
    const { newUser } = await world({ database: await open(url, configOf()), config: configOf() });
    const [ana, ben] = [await newUser(), await newUser()];
    await ana.query('mutation { createTask(input: { title: "Swim" }) { task { id } } }');
    const file = JSON.parse((await ana.rest.get('/account/export')).text);
    const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];
    const timeOf = (minute: number) =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const remindersOf = (task: number) =>
      [0, 1, 2, 3, 4].map((each) => {
        const number = 5 * task + each;
        return { at: timeOf(number % 1_440), weekdays: days.slice(Math.floor(number / 1_440)) };
      });
    const tasks = Array.from({ length: 2_000 }, (_, task) => ({
      ...file.tasks[0],
      id: task + 1,
      reminders: remindersOf(task),
    }));
    const imported = await ben.rest.post('/account/import', { ...file, tasks });
    expect([imported.status, imported.text]).toEqual([201, expect.anything()]);
    await ben.query('mutation { updateProfile(input: { timeZone: "Asia/Tokyo" }) { user { id } } }');
    const { tasks: list } = await ben.query(
      '{ tasks(first: 100) { nodes { reminders { at } today { isDue } } } }',
    );
    expect(list.nodes.every(({ reminders }: { reminders: unknown[] }) => reminders.length === 5)).toBe(true);
  });
});
