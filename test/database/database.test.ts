import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asRequest } from '../../src/base/request.js';
import { requireKnown } from '../../src/database/migrations.js';
import { User } from '../../src/features/account/user.entity.js';
import { explainStartError } from '../../src/operation/startup/start-errors.js';
import { freshDatabase, ownDatabase, sharedDatabase } from '../support/database.js';
import { worldOf } from '../support/world.js';

describe('The database', () => {
  it('has exactly the tables that the entities describe', async () => {
    const { orm } = await sharedDatabase();
    expect((await orm.schema.getUpdateSchemaSQL({ wrap: false })).trim()).toBe('');
  });

  it('itself refuses what the rules forbid', async () => {
    const { ana, ben, database } = await worldOf('ana', 'ben');
    const task = await ana.hasTask();
    await ana.hasAccepted(1);
    const statements = {
      user_challenges_active_unique: `insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
        values ('${ana.id}', 2, 'ACTIVE', now(), now(), now())`,
      task_completions_task_id_user_id_foreign: `insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
        values ('${ben.id}', ${task.id}, 10, now(), current_date, now())`,
      users_email_unique: `update users set email = upper('${ana.account.email}') where id = '${ben.id}'`,
    };
    for (const [constraint, statement] of Object.entries(statements)) {
      const refused = database.orm.em.fork().execute(statement);
      await expect(refused, constraint).rejects.toMatchObject({ constraint });
    }
  });
});

it('An id beyond what JSON can say exactly is given to no row', async () => {
  const { orm } = await sharedDatabase();
  const sequences = await orm.em.fork().execute(`
    select max_value::text as greatest from pg_sequences
    where sequencename = any('{tasks_id_seq,task_completions_id_seq,user_challenges_id_seq,challenge_templates_id_seq}')`);
  expect(sequences).toEqual(Array(4).fill({ greatest: `${Number.MAX_SAFE_INTEGER}` }));
});

it.each([
  `insert into mikro_orm_migrations (name) values ('0002_limits_and_languages')`, // of 1.0.0-rc.1
  `update mikro_orm_migrations set name = '0001_tables' where name = '0001_baseline'`,
])(
  'A database of before the baseline is refused by a start, which says in one line how its data comes along: %s',
  async (made) => {
    const { orm } = await ownDatabase();
    await orm.em.fork().execute(made);
    const refused = await requireKnown(orm).catch((error: unknown) => error);
    expect(explainStartError(refused)).toBe(
      'The database was made before 1.0.0-rc.2: back it up with the version that made it (npm run backup), and restore the file with this one into an empty database (steady restore).',
    );
  },
);

it('The probe of the database runs once for all who ask meanwhile, and again for those who ask later', async () => {
  const database = await sharedDatabase();
  const [first, second] = [database.probe(), database.probe()];
  expect(second).toBe(first);
  await first;
  const third = database.probe();
  expect(third).not.toBe(first);
  await third;
});

describe('A transaction', () => {
  it('happens as a whole or not at all', async () => {
    const { ana, database } = await worldOf('ana');
    const failing = database.transaction(async (tx) => {
      await tx.nativeUpdate(User, { id: ana.id }, { name: 'Changed' });
      throw new Error('Thought better of it');
    });
    await expect(failing).rejects.toThrow('Thought better of it');
    expect((await ana.profile()).name).toBe('Ana');
  });

  it('is planned anew when a migration has changed its statements', async () => {
    const database = await ownDatabase();
    await sql`create table changing as select 1 as id`.execute(database.query());
    const asked = sql`select * from changing where id = ${1}`;
    const ask = () =>
      asRequest(60_000, () => database.transaction(async (tx) => (await asked.execute(tx.getKysely())).rows));
    for (let times = 0; times < 5; times += 1) expect(await ask()).toEqual([{ id: 1 }]);
    await sql`alter table changing add column name text`.execute(database.query());
    expect(await ask()).toEqual([{ id: 1, name: null }]);
  });

  it('refuses to wait for another connection, which on the embedded database would never end', async () => {
    const database = await sharedDatabase();
    for (const beside of [
      () => database.transaction(async () => {}),
      () => database.now(),
      () => database.asEvent('ana', () => database.now()),
    ])
      await expect(database.transaction<unknown>(beside)).rejects.toThrow(
        'Inside a transaction only its own entity manager may be asked',
      );
    await database.probe();
  });
});

it('What is read for events waits where a crowd of requests is refused, however much it is', async () => {
  const database = await freshDatabase(1);
  onTestFinished(() => database.close());
  const crowd = Array.from({ length: 101 }, () => sql`select 1`.execute(database.query()));
  const read = () => Promise.all(Array.from({ length: 300 }, () => database.now()));
  expect(await database.asEvent('ana', read)).toHaveLength(300);
  await Promise.all(crowd);
});
