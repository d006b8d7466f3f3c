import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { deleteAccount } from '../../src/features/account/deletion.js';
import { addMissing, addTombstone, readTombstones } from '../../src/operation/backup/tombstones.js';
import { configOf, isOnManyNodes, ownDatabase } from '../support/database.js';
import { inhabitant } from '../support/inhabitant.js';
import { PROGRESS, streamOf } from '../support/live.js';
import { SLOW_DELETION } from '../support/slow-deletion.js';
import { RestClient, refusal, type TestUser, world } from '../support/world.js';

const MUTATION =
  'mutation ($password: String!) { deleteMyAccount(password: $password) { deletedId deletedAt } }';

const deletes = ({ rest, account }: Pick<TestUser, 'account' | 'rest'>) =>
  rest.ask(MUTATION, { password: account.password });

const rowsOf = async <Row>(database: Database, statement: string) =>
  (await sql.raw<Row>(statement).execute(database.query())).rows;

/** Every table with a row of this user, by the catalogue. */
async function tablesWith(database: Database, id: string): Promise<string[]> {
  const tables = await rowsOf<{ name: string; column: string }>(
    database,
    `select table_name as name, column_name as column from information_schema.columns
     where table_schema = current_schema() and (column_name = 'user_id' or (table_name, column_name) = ('users', 'id'))`,
  );
  const each = tables.map(({ name, column }) => {
    return `select '${name}' as name where exists (select from ${name} where ${column} = '${id}')`;
  });
  return (await rowsOf<{ name: string }>(database, each.join(' union all '))).map(({ name }) => name);
}

async function busyUser() {
  const here = await world();
  const { user: ana, ids } = await inhabitant(here, await here.newUser(), 1);
  const lease = `insert into listeners values ('${ana.id}', gen_random_uuid(), now() + interval '1 hour')`;
  await rowsOf(here.database, lease);
  return { ...here, ana, task: { id: Number(ids.task?.[0]) } };
}

/** More than one statement takes. */
const HISTORY = 20_100;

/** It fails at the end, as long as there is a fault. */
const FAULT = [
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
      ...['api_tokens', 'calendar_feeds', 'channels', 'check_in_links', 'listeners', 'pauses', 'skips'],
      ...['task_completions', 'tasks', 'user_challenges', 'user_progress', 'users'],
    ];
    expect(await tablesWith(database, ana.id)).toEqual(expect.arrayContaining(filled));
    const stream = await streamOf(ana, PROGRESS);
    const deletedAt = clock.now().toISOString();
    expect(await deletes(ana)).toEqual({ data: { deleteMyAccount: { deletedId: ana.id, deletedAt } } });
    expect(await tablesWith(database, ana.id)).toEqual([]);
    expect(await rowsOf(database, `select from deleted_accounts where id = '${ana.id}'`)).toHaveLength(1);
    expect((await ana.rest.get('/api/tasks/me')).status).toBe(401);
    expect((await stream.next()).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
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
    const answers = (await Promise.all(deleting)).map(({ errors }) => errors?.[0].extensions.code ?? 'done');
    expect(answers.sort()).toEqual(['UNAUTHENTICATED', 'done']);
    expect(await tablesWith(database, ana.id)).toEqual([]);
  });

  const hasTriggers = !isOnManyNodes(inject('template')); // which Citus refuses
  it.runIf(hasTriggers)(
    'happens in one transaction, and takes a long history along, beyond the time of a statement and of a request',
    async () => {
      const database = await ownDatabase();
      const ana = await (await world({ database })).newUser();
      const task = await ana.hasTask();
      await ana.completes(task);
      const { base } = await world({ database, config: configOf({ REQUEST_TIMEOUT: '2000' }) });
      const inHurry = { ...ana, rest: new RestClient(base, ana.token) };
      for (const statement of FAULT) await rowsOf(database, statement);
      expect((await deletes(inHurry)).errors[0].message).toBe('Internal server error');
      expect(await tablesWith(database, ana.id)).toContain('task_completions');
      await rowsOf(database, 'delete from fault');
      await rowsOf(
        database,
        `insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
         select '${ana.id}', ${task.id}, 1, at, (at at time zone 'UTC')::date, at
         from generate_series(1, ${HISTORY}) i, lateral (select now() - i / 7 * interval '1 minute') made (at)`,
      );
      for (const statement of SLOW_DELETION) await rowsOf(database, statement);
      expect((await deletes(inHurry)).data.deleteMyAccount.deletedId).toBe(ana.id);
      expect(await tablesWith(database, ana.id)).toEqual([]);
    },
  );
});

it('Tombstones beside backups are completed by what the table has more, and read as they were written; a damaged line is told', async () => {
  const { newUser, database } = await world({ database: await ownDatabase() });
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [backup, file] = [path.join(folder, 'steady.jsonl.gz'), path.join(folder, 'deleted-accounts')];
  expect(readTombstones(backup)).toEqual([]);
  const deletedAt = new Date('2026-11-21T12:00:00.000Z');
  const one = { id: (await newUser()).id, deletedAt };
  const other = { id: (await newUser()).id, deletedAt };
  for (const each of [one, other]) await deleteAccount(database, each);
  await addTombstone(folder, one); // the other was never written
  await addMissing(folder, database.query());
  await addMissing(folder, database.query());
  writeFileSync(file, `${readFileSync(file, 'utf8')}9c85`); // a line that was cut off is none
  expect(readTombstones(backup)).toEqual([one, other]);
  writeFileSync(file, 'nobody\n');
  expect(() => readTombstones(backup)).toThrow(`${file} is damaged: its line 1`);
  expect(() => readTombstones(backup, path.join(folder, 'none'))).toThrow('cannot be read');
});
