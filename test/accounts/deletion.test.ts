import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { deleteAccount } from '../../src/features/account/deletion.js';
import { addMissing, addTombstone, readTombstones } from '../../src/operation/backup/tombstones.js';
import { configOf, isOnManyNodes, ownDatabase } from '../support/database.js';
import { inhabitant } from '../support/inhabitant.js';
import { SLOW_DELETION } from '../support/slow-deletion.js';
import { RestClient, refusal, type TestUser, world } from '../support/world.js';

const MUTATION =
  'mutation ($password: String!) { deleteMyAccount(password: $password) { deletedId deletedAt } }';

const deletes = (user: Pick<TestUser, 'account' | 'rest'>, password = user.account.password) =>
  user.rest.post('/graphql', { query: MUTATION, variables: { password } });

const execute = <Row>(database: Database, statement: string) =>
  database.orm.em.fork().execute<Row[]>(statement);

/** Every table with a row of this user, by the catalogue. */
async function tablesWith(database: Database, id: string): Promise<string[]> {
  const tables = await execute<{ name: string }>(
    database,
    `select table_name as name from information_schema.columns
     where table_schema = current_schema() and (column_name = 'user_id' or (table_name, column_name) = ('users', 'id'))`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const column = name === 'users' ? 'id' : 'user_id';
    const rows = await execute(database, `select from ${name} where ${column} = '${id}' limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found.sort();
}

async function busyUser() {
  const here = await world();
  const { user: ana, ids } = await inhabitant(here, await here.newUser(), 1);
  const lease = `insert into listeners values ('${ana.id}', gen_random_uuid(), now() + interval '1 hour')`;
  await execute(here.database, lease);
  return { ...here, ana, task: { id: Number(ids.task?.[0]) } };
}

/** Two statements, of which each takes its part. */
const HISTORY = 30_000;

/** And the last one fails at first. */
const HURDLES = [
  ...SLOW_DELETION,
  'create table fault as select 1',
  `create function fail() returns trigger language plpgsql as $$ begin
     if exists (select from fault) then raise 'A fault at the end'; end if;
     return null;
   end $$`,
  'create trigger fail after insert on deleted_accounts for each statement execute function fail()',
];

describe('deleteMyAccount', () => {
  it('leaves no row in any table but the tombstone, and ends the token', async () => {
    const { ana, database, clock, newUser, rest } = await busyUser();
    const ben = await newUser();
    const filled = [
      ...[
        'api_tokens',
        'calendar_feeds',
        'channels',
        'check_in_links',
        'listeners',
        'pauses',
        'skips',
        'users',
      ],
      ...['task_completions', 'tasks', 'user_challenges', 'user_progress'],
    ];
    expect(await tablesWith(database, ana.id)).toEqual(expect.arrayContaining(filled));
    const { body } = await deletes(ana);
    const deletedAt = clock.now().toISOString();
    expect(body).toEqual({ data: { deleteMyAccount: { deletedId: ana.id, deletedAt } } });
    expect(await tablesWith(database, ana.id)).toEqual([]);
    expect(await execute(database, `select id from deleted_accounts where id = '${ana.id}'`)).toHaveLength(1);
    expect((await ana.rest.get('/api/tasks/me')).status).toBe(401);
    const { email, password } = ana.account;
    expect(await rest.post('/api/auth/login', { email, password })).toEqual(refusal(401));
    expect((await rest.post('/api/auth/signup', { name: 'Ana', email, password })).status).toBe(201);
    expect((await ben.rest.get('/api/user/profile')).status).toBe(200);
  });

  it('happens once, and beside completions leaves nothing over and fails none with a 5xx', async () => {
    const { ana, task, database } = await busyUser();
    const completes = () => Array.from({ length: 12 }, () => ana.completes(task));
    const making = [ana.hasTask(), ana.hasAccepted()];
    const before = completes();
    const deleting = [deletes(ana), deletes(ana)];
    const statuses = (await Promise.all([...before, ...completes()])).map(({ status }) => status);
    await Promise.all(making);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    const answers = (await Promise.all(deleting)).map(
      ({ body }) => body.errors?.[0].extensions.code ?? 'done',
    );
    expect(answers.sort()).toEqual(['UNAUTHENTICATED', 'done']);
    expect(await tablesWith(database, ana.id)).toEqual([]);
  });

  const hasTriggers = !isOnManyNodes(inject('template')); // which Citus refuses
  it.runIf(hasTriggers)(
    'takes a long history along, in one transaction, beyond the time of one statement and of one request',
    async () => {
      const database = await ownDatabase();
      const ana = await (await world({ database })).newUser();
      const task = await ana.hasTask();
      const hurried = await world({ database, config: configOf({ REQUEST_TIMEOUT: '2000' }) });
      const inHurry = { ...ana, rest: new RestClient(hurried.base, ana.token) };
      await execute(
        database,
        `insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, (completed_at at time zone 'UTC')::date, completed_at from (
        select '${ana.id}'::uuid, ${task.id}, 1, now() - i / 7 * interval '1 minute' from generate_series(1, ${HISTORY}) i
      ) made (user_id, task_id, points, completed_at)`,
      );
      for (const statement of HURDLES) await execute(database, statement);
      const count = async () =>
        (await execute(database, `select from task_completions where user_id = '${ana.id}'`)).length;
      expect((await deletes(inHurry)).body.errors[0].message).toBe('Internal server error');
      expect(await count()).toBe(HISTORY);
      await execute(database, 'delete from fault');
      expect((await deletes(inHurry)).body.data.deleteMyAccount.deletedId).toBe(ana.id);
      expect(await tablesWith(database, ana.id)).toEqual([]);
    },
    60_000,
  );
});

describe('Tombstones beside backups', () => {
  const newFolder = () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  const deletedAt = new Date('2026-11-21T12:00:00.000Z');

  it('are read as they were written; a line that was cut off is none, one that is damaged is told', async () => {
    const folder = newFolder();
    const backup = path.join(folder, 'steady.jsonl.gz');
    expect(readTombstones(backup)).toEqual([]);
    const one = { id: '9c858901-8a57-4791-81fe-4c455b099bc9', deletedAt };
    await Promise.all([addTombstone(folder, one), addTombstone(folder, one)]);
    const file = path.join(folder, 'deleted-accounts');
    writeFileSync(file, `${readFileSync(file, 'utf8')}9c85`);
    expect(readTombstones(backup)).toEqual([one, one]);
    writeFileSync(file, 'nobody\n');
    expect(() => readTombstones(backup)).toThrow(`${file} is damaged: its line 1`);
    expect(() => readTombstones(backup, path.join(folder, 'none'))).toThrow('cannot be read');
  });

  it('are completed by what the table has more, before each backup', async () => {
    const { newUser, database } = await world({ database: await ownDatabase() });
    const folder = newFolder();
    const both = [await newUser(), await newUser()].map(({ id }) => ({ id, deletedAt }));
    for (const each of both) await deleteAccount(database, each);
    await addTombstone(folder, both[0] as (typeof both)[0]); // the other was never written
    await addMissing(folder, database.query());
    await addMissing(folder, database.query());
    expect(readTombstones(path.join(folder, 'any.jsonl.gz'))).toEqual(both);
  });
});
