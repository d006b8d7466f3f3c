import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { Database } from '../../src/database/database.js';
import { openEngine } from '../../src/database/embedded/open.js';
import { type Statement, statement } from '../../src/database/statement.js';
import { asRequest, currentRequest, READ_LIMIT } from '../../src/request.js';
import { eventually } from '../support/eventually.js';

type Any = Statement<object, unknown>;
type Opened = Awaited<ReturnType<typeof openEngine>>;

let database: Database;
let backend: Opened['backend'];

beforeAll(async () => {
  const opened = await openEngine(model, 'memory://');
  backend = opened.backend;
  database = new Database(opened.orm, { ...backend, description: 'in memory' });
  await opened.orm.migrator.up();
  return () => database.close();
});

const raw = (text: string) =>
  statement((_: Kysely<unknown>, _values: object) => sql<never>`${sql.raw(text)}`);
const execute = (text: string) => sql.raw(text).execute(database.query());

const isStatement = (value: unknown): value is Any =>
  typeof value === 'object' && value !== null && 'with' in value && !Array.isArray(value);

/** The statements in an object, however deep: lists have several. */
function statementsIn(value: unknown, name: string): [name: string, asked: Any][] {
  if (isStatement(value)) return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => statementsIn(each, `${name}.${key}`));
}

const files = globSync('src/**/*.queries.ts').filter((file) =>
  /database\/(statement|page)\.js/.test(readFileSync(file, 'utf8')),
);
const hot: [string, Any][] = [];
for (const file of files.sort()) hot.push(...statementsIn(await import(path.resolve(file)), file));

const ana = '5b6f1c1e-0000-4000-8000-00000000000a';
const at = new Date('2026-11-21T10:00:00.123Z');

describe('The statements of hot paths, on the embedded database', () => {
  beforeAll(async () => {
    await execute(`
      with identity as (
        insert into users (id, name, email, password_hash, created_at, updated_at)
        values ('${ana}', 'Ana "Ü" 🏊', 'ana@example.com', 'x', now(), now())
      ), progress as (
        insert into user_progress (user_id, points, last_active_on, run_started_on)
        values ('${ana}', 12.5, '2026-11-20', '2026-11-19') returning user_id
      ), accepted as (
        insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
        select user_id, 3, 'ACTIVE', now(), now(), now() from progress
      ), made as (
        insert into tasks (user_id, title, description, points, is_daily_routine, challenge_template_id,
          created_at, updated_at)
        select user_id, 'Swim ' || number, case number % 2 when 0 then 'd''é\\' end, number / 4.0, number > 2,
          case when number > 1 then 3 end, now() - number * interval '1 day', now()
        from progress, generate_series(1, 5) as number
        returning id, user_id
      )
      insert into task_completions (user_id, task_id, points, completed_at)
      select user_id, id, 0.1, now() - interval '2 days' from made`);
  });

  const values = { userId: ana, id: 3, ids: [1, 2, 3], limit: 3, at, status: 'ACTIVE', taskId: 1 };

  it('are all known', () => {
    expect(hot.length).toBeGreaterThan(20);
    expect(files.filter((file) => !hot.some(([name]) => name.startsWith(file)))).toEqual([]);
  });

  it.each(hot)('%s is prepared once', async (of, asked) => {
    const given = of.includes('/accounts/') ? { id: ana } : values;
    const first = await database.run(asked, given);
    expect(await database.run(asked, given)).toStrictEqual(first);
    const { name } = asked.with(given);
    const { rows } = await execute(`select from pg_prepared_statements where name = '${name}_1'`);
    expect(rows).toHaveLength(1);
  });

  it('read by index, also when they were planned for empty tables', async () => {
    const { orm, engine } = await openEngine(model, 'memory://');
    await orm.migrator.up();
    const query = orm.em.getConnection().getClient() as Kysely<unknown>;
    const explain = (asked: Any) => sql.raw(`explain (generic_plan) ${asked.with({}).text}`).execute(query);
    for (const [name, asked] of hot) {
      const plan = JSON.stringify(await explain(asked));
      expect(plan.match(/Seq Scan on (?!challenge_templates)\w+/g), name).toBeNull();
    }
    await orm.close(true);
    await engine.close();
  });
});

describe('A value', () => {
  it('may be long, and rows may be many', async () => {
    const asked = statement(
      (_: Kysely<unknown>, { text }: { text: string }) =>
        sql<{ text: string }>`select ${text}::text || number as text from generate_series(1, 30) as number`,
    );
    const text = '🏊é'.repeat(20_000);
    const rows = (await database.run(asked, { text })).map((row) => row.text);
    expect(rows).toEqual(Array.from({ length: 30 }, (_, index) => `${text}${index + 1}`));
    expect(await database.run(asked, { text: '' })).toHaveLength(30);
  });
});

describe('A statement that fails', () => {
  const failing = raw(`insert into users (id, name, email, password_hash, created_at, updated_at)
    select '${ana}', '', 'twice@example.com', '', now(), now() from generate_series(1, 2)`);

  it('says what a server says', async () => {
    await expect(database.run(failing, {})).rejects.toMatchObject({
      code: '23505',
      severity: 'ERROR',
      constraint: 'users_pkey',
    });
  });

  it('leaves the connection as it was, however often', async () => {
    const divide = statement(
      (_: Kysely<unknown>, { by }: { by: number }) => sql<{ one: number }>`
      select 1 / ${by}::int as one`,
    );
    for (let time = 0; time < 5_000; time += 1)
      await expect(database.run(divide, { by: 0 })).rejects.toMatchObject({ code: '22012' });
    expect(await database.run(divide, { by: 1 })).toEqual([{ one: 1 }]);
    await expect(database.run(raw('select nothing'), {})).rejects.toMatchObject({ code: '42703' });
    const invalid = { by: 'x' as unknown as number };
    await expect(database.run(divide, invalid)).rejects.toMatchObject({ code: '22P02' });
    expect(await database.run(divide, { by: 1 })).toEqual([{ one: 1 }]);
  });

  it('is prepared anew when a migration has changed what it answers', async () => {
    const all = raw('select * from changing');
    await execute('create table changing as select 1 as a');
    expect(await database.run(all, {})).toEqual([{ a: 1 }]);
    await execute('alter table changing add column b text');
    expect(await database.run(all, {})).toEqual([{ a: 1, b: null }]);
    await execute('drop table changing');
    await expect(database.run(all, {})).rejects.toMatchObject({ code: '42P01' });
  });
});

describe('A notification in the answer of a statement', () => {
  it('reaches whoever listens, until they stop', async () => {
    const texts: string[] = [];
    const stop = await backend.listen({ receive: (text) => texts.push(text), reconnected: () => {} });
    await database.run(raw(`select pg_notify('steady', 'é'), pg_notify('other', 'b')`), {});
    await execute(`select pg_notify('steady', 'c')`);
    await eventually(() => texts.length === 2);
    await stop();
    await database.run(raw(`select pg_notify('steady', 'd')`), {});
    expect(texts).toEqual(['é', 'c']);
  });
});

describe('The one connection', () => {
  const one = raw('select 1 as one');
  const asUser = <T>(asker: string, work: () => Promise<T>, time = 60_000) => asRequest(time, work, asker);

  it('carries out no statement of others inside a transaction', async () => {
    const [begun, isAsked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changed = database.transaction(async (tx) => {
      await tx.execute('create table passing as select 1');
      begun.resolve();
      await isAsked.promise;
      await tx.execute('drop table passing');
    });
    await begun.promise;
    const asked = database.run(raw(`select to_regclass('passing') is null as "isGone"`), {});
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    isAsked.resolve();
    expect(await asked).toEqual([{ isGone: true }]);
    await changed;
  });

  it('carries out one statement in a turn of the event loop', async () => {
    let done = 0;
    const work = Array.from({ length: 100 }, (_, index) =>
      asUser(`${index}`, () => database.run(one, {})).then(() => {
        done += 1;
      }),
    );
    const turns: number[] = [];
    while (done < 100) {
      const before = done;
      await new Promise(setImmediate);
      turns.push(done - before);
    }
    await Promise.all(work);
    expect(Math.max(...turns)).toBeLessThanOrEqual(2);
  });

  it('has one line for statements of hot paths and all others', async () => {
    let [done, isOver] = [0, false];
    const busy = Array.from({ length: 20 }, async (_, index) => {
      while (!isOver) {
        await asUser(`busy ${index}`, () => database.run(one, {}));
        done += 1;
      }
    });
    const others = Array.from({ length: 10 }, (_, index) =>
      asUser(`other ${index}`, async () => sql`select 1`.execute(database.query())),
    );
    await Promise.all(others);
    const before = done;
    isOver = true;
    await Promise.all(busy);
    expect(before).toBeLessThan(60);
  });

  it('is not given to a request that is late', async () => {
    const sent = asUser('late', () => database.run(one, {}), -1);
    await expect(sent).rejects.toMatchObject({ code: 'NOT_SENT' });
  });

  it.each<[string, (text: string) => Promise<unknown>]>([
    ['a statement of a hot path', (text) => database.run(raw(text), {})],
    ['the query builder', (text) => execute(text)],
  ])('counts what %s reads, and refuses too much', async (_way, ask) => {
    await asUser('reader', async () => {
      await ask(`select repeat('x', 5000000) as text`);
      expect(currentRequest()?.read).toBeGreaterThan(5_000_000);
      expect(currentRequest()?.read).toBeLessThan(5_001_000);
      const tooMuch = { kind: 'tooMuch', details: { size: { maximum: READ_LIMIT } } };
      await expect(ask(`select repeat('x', 6000000) as text`)).rejects.toMatchObject(tooMuch);
      await expect(ask('select 1')).rejects.toMatchObject(tooMuch);
    });
    await asUser('reader', () => ask('select 1'));
  });
});
