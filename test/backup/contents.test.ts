import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import { systemClock } from '../../src/base/clock.js';
import type { Database } from '../../src/database/database.js';
import { knownTo } from '../../src/database/migrations.js';
import {
  HOLD,
  PUSH_KEYS,
  storedValue,
  storeValue,
} from '../../src/features/reminders/channels/stored-values.js';
import { readFile } from '../../src/operation/backup/file.js';
import type { Contents } from '../../src/operation/backup/format.js';
import { load } from '../../src/operation/backup/load.js';
import { readSnapshot } from '../../src/operation/backup/snapshot.js';
import { allTables, tablesToKeep } from '../../src/operation/backup/tables.js';
import { newFile } from '../support/backup-commands.js';
import { changed, databaseOf, FIXTURE, linesIn, linesOf, modelWith, partOf } from '../support/backups.js';
import { ownDatabase, sharedDatabase } from '../support/database.js';
import { TestUser, world } from '../support/world.js';

const known = knownTo(model.migrations);
const clock = systemClock;

class Later extends Migration {
  override up(): void {
    this.addSql(`alter table tasks add column later text not null default 'made before'`);
    this.addSql(`update challenge_templates set title = upper(title)`);
  }
}

/** A release after this one. */
const laterModel = modelWith((list) => [...list, { name: '9999_later', class: Later }]);

/** The backup of 1.0.0-rc.1. */
const fixture = () => readFile(FIXTURE, known);

/** An own database into which that is restored. */
async function restored(contents?: Contents) {
  const database = await ownDatabase();
  await load(database, contents ?? (await fixture()), { clock });
  return database;
}

const execute = (database: Database, statement: string) => database.orm.em.fork().execute(statement);

describe('A backup', () => {
  it('holds every table but passing state, whole: a new table is in it, or its entity says that it passes', async () => {
    const database = await sharedDatabase();
    const { orm } = database;
    const rows = await orm.em.fork().execute<{ name: string }[]>(`
      select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')`);
    const there = rows.map(({ name }) => name).filter((name) => name !== 'mikro_orm_migrations');
    expect(allTables(orm).sort()).toEqual(there.sort());
    const passing = allTables(orm).filter((name) => !tablesToKeep(orm).includes(name));
    const those = ['jobs', 'listeners', 'log_ins', 'login_attempts', 'restores', 'shown_messages'];
    expect(passing.sort()).toEqual(those);
    const { tables } = await readSnapshot(database, async ({ header }) => header);
    const described = [...orm.getMetadata().getAll().values()];
    for (const { name, columns } of tables) {
      const entity = described.find(({ tableName }) => tableName === name);
      const declared = entity?.props.flatMap(({ fieldNames = [] }) => fieldNames);
      expect(columns.toSorted(), name).toEqual([...new Set(declared)].sort());
    }
  });

  it('of a server is of one moment, whatever is written while it is read', async () => {
    const { newUser, database } = await world({ database: await ownDatabase() });
    await newUser();
    const before = await linesIn(database);
    const meanwhile = await linesIn(database, async () => void (await newUser()));
    expect(meanwhile).toMatchObject({ rows: before.rows, trailer: before.trailer });
    expect((await linesIn(database)).rows.length).toBeGreaterThan(before.rows.length);
  });
});

describe('A backup by 1.0.0-rc.1', () => {
  it('comes without the accounts that were deleted since, and then keeps their tombstones', async () => {
    const database = await ownDatabase();
    const deletedAt = clock.now();
    const [, id = ''] = /\["users","([^"]+)"/.exec(linesOf(FIXTURE).rows.join('\n')) ?? [];
    const nobody = '00000000-0000-4000-8000-000000000000';
    const tombstones = [id, nobody].map((each) => ({ id: each, deletedAt }));
    const done = await load(database, await fixture(), { clock, tombstones });
    expect(done).toMatchObject({ drifts: 0, deletedAgain: 1 });
    const { rows } = await linesIn(database);
    const left = rows.filter((line) => line.includes(id));
    expect(left).toEqual([expect.stringMatching(/^\["deleted_accounts"/)]);
  });

  it('restores all that it has, leaves passing state alone, and gives every new row an id that no row ever had', async () => {
    const database = await ownDatabase();
    await execute(database, `insert into listeners values (gen_random_uuid(), gen_random_uuid(), now())`);
    const contents = await fixture();
    expect(contents.header).toMatchObject({ version: '1.0.0-rc.1', migration: '0005_ended_challenges' });
    const { counts } = contents.trailer;
    expect(Object.values(counts).every((count) => count > 0)).toBe(true);
    expect(await load(database, contents, { clock })).toMatchObject({ drifts: 0 });
    const now = await linesIn(database);
    const then = linesOf(FIXTURE);
    expect(JSON.parse(now.trailer).counts).toMatchObject({ ...counts, kept_values: 2 });
    expect(partOf(now, then.header.tables).sort()).toEqual(then.rows.sort());
    expect(now.header.database).toMatch(/^[0-9a-f-]{36}$/);
    expect(await database.orm.migrator.getPending()).toEqual([]);
    expect(await execute(database, 'select from listeners')).toHaveLength(1);
    const titles = await execute(database, 'select id from challenge_templates where id = 2');
    expect(titles, 'added by a migration, and deleted before the backup was made').toEqual([]);
    for (const { name, sequences } of then.header.tables)
      expect(now.header.tables.find((table) => table.name === name)?.sequences, name).toEqual(sequences);
  });
});

/** Files that nobody can trust, and what is said of each. */
const untrusted: [problem: string, bytes: () => Buffer][] = [
  ['is damaged, or not a backup', () => changed(FIXTURE, () => 'x'.repeat(2_000_000))], // a line without an end
  ['is damaged: its checksum', () => changed(FIXTURE, (text) => text.replace('"Swim"', '"Swam"'))],
  ['is damaged: its checksum', () => changed(FIXTURE, (text) => without(text, 9))],
  ['is damaged: it has a line', () => changed(FIXTURE, (text) => text.replace('\n', '\n1\n'))],
  ['is damaged', () => readFileSync(FIXTURE).fill('xxxx', 2_000, 2_004)],
  ['is cut off', () => readFileSync(FIXTURE).subarray(0, 1_000)],
  ['is cut off', () => changed(FIXTURE, (text) => without(text, -2))], // without its last line
  ['is cut off', () => Buffer.alloc(0)],
  ['not a backup of Steady', () => Buffer.from('{"steady":"backup"}')],
  ['is not a backup of Steady', () => changed(FIXTURE, () => 'Hello\n')],
  ['by a newer Steady (format 2', () => changed(FIXTURE, (text) => text.replace('"format":1', '"format":2'))],
  [
    'does not know 9999_later',
    () => changed(FIXTURE, (text) => text.replace(/"migration":"\w+"/, '"migration":"9999_later"')),
  ],
  [
    'is not that of migration',
    () => changed(FIXTURE, (text) => text.replace('"idempotency_key"', '"other"')),
  ],
];
const without = (text: string, index: number) => text.split('\n').toSpliced(index, 1).join('\n');

describe('A restore', () => {
  it('refuses each file that it cannot trust, and any where there are users, and leaves the database as it was', async () => {
    const { newUser, database } = await world({ database: await ownDatabase() });
    const before = await linesIn(database);
    for (const [problem, bytes] of untrusted) {
      const file = newFile('refused.gz', bytes());
      const restoring = async () => load(database, await readFile(file, known), { clock });
      await expect(restoring(), problem).rejects.toThrow(problem);
    }
    expect(await linesIn(database)).toMatchObject({ rows: before.rows });
    await newUser();
    const { rows } = await linesIn(database);
    await expect(load(database, await fixture(), { clock })).rejects.toThrow('into an empty database only');
    expect(await linesIn(database)).toMatchObject({ rows });
  });

  it('brings plans, rests, amounts and notes, and every counter agrees with them', async () => {
    const { newUser, clock: then, database } = await world({ database: await ownDatabase() });
    const ana = await newUser();
    const [swim, rest] = [await ana.hasTask(), await ana.hasTask()];
    await ana.query(
      `mutation ($swim: ID!, $rest: ID!, $day: Date!) {
        updateProfile(input: { weekStartsOn: SATURDAY, language: ES }) { user { id } }
        updateTask(id: $swim, input: { schedule: { everyDays: 3 }, target: { amount: 2.5, unit: "km" }, colour: TEAL,
          icon: "🏊", tags: ["Sea"] }) { task { id } }
        completeTask(taskId: $swim, amount: 2.505, note: "Cold") { isReplayed }
        createTask(input: { title: "Coffee", section: "Kitchen", target: { amount: 0, unit: "cups", kind: AT_MOST, per: WEEK } }) { task { id } }
        skipDay(taskId: $rest, date: $day, note: "Ill") { task { id } }
        one: createPause(input: { taskId: $swim, from: $day, note: "Knee" }) { pause { id } }
        all: createPause(input: { from: $day, until: $day }) { pause { id } }
      }`,
      { swim: swim.id, rest: rest.id, day: then.now().toISOString().slice(0, 10) },
    );
    const copy = await ownDatabase();
    const restored = await readSnapshot(database, (contents) => load(copy, contents, { clock: then }));
    expect(restored).toMatchObject({ drifts: 0, counts: { skips: 1, pauses: 2 } });
    expect(await linesIn(copy)).toMatchObject({ rows: (await linesIn(database)).rows });
  });

  it('holds reminders back where the operator restores, whether the backup has held them or not', async () => {
    const held = async (contents: Contents) => {
      const copy = await ownDatabase();
      await load(copy, contents, { clock, holdsReminders: true });
      expect(await storedValue(copy.query(), HOLD)).toBe('held');
      return copy;
    };
    const first = await held(await fixture());
    await storeValue(first.query(), PUSH_KEYS, 'keys');
    const second = await readSnapshot(first, held);
    expect(await storedValue(second.query(), PUSH_KEYS)).toBe('keys');
  });

  it('gives generations of tokens that the backup does not know to nobody again', async () => {
    const before = await world({ database: await ownDatabase() });
    const ana = await before.newUser();
    const database = await readSnapshot(before.database, restored);
    const everywhere = async (user: TestUser) => {
      const { token } = (await user.query('mutation { signOutEverywhere { token } }')).signOutEverywhere;
      return new TestUser(user.base, token, ana.account);
    };
    const olds = [ana, await everywhere(ana)];
    olds.push(await everywhere(olds[1] as TestUser));
    const { base } = await world({ database });
    const there = ({ token }: TestUser) => new TestUser(base, token, ana.account);
    let current = there(ana);
    for (let time = 0; time < 3; time += 1) {
      current = await everywhere(current);
      for (const old of olds) expect((await there(old).rest.get('/api/tasks/me')).status).toBe(401);
      expect((await current.rest.get('/api/tasks/me')).status).toBe(200);
    }
  });

  it('gives no id twice, whether the backup says which number comes next or not', async () => {
    const contents = await fixture();
    const sequencesOf = (name: string): Record<string, string> =>
      name === 'user_challenges' ? { id: '100' } : {}; // its last rows are gone
    const tables = contents.header.tables.map((table) => ({ ...table, sequences: sequencesOf(table.name) }));
    const database = await restored({ ...contents, header: { ...contents.header, tables } });
    const { header } = await linesIn(database);
    const [given] = await execute(database, 'select max(id) + 1 as next from tasks');
    for (const [name, next] of [
      ['user_challenges', '100'],
      ['tasks', `${given?.next}`],
    ])
      expect(header.tables.find((table) => table.name === name)?.sequences, name).toEqual({ id: next });
  });

  it('keeps nothing when it fails, whether at a row or in its proof', async () => {
    const database = await ownDatabase();
    const before = await linesIn(database);
    const contents = await fixture();
    const broken: ((line: string) => string)[] = [
      (line) => line.replace('["tasks","1","0', '["tasks","1","1'), // a row without its user
      (line) => line.replace('"10.25"', '"ten"'), // a value of another type
    ];
    for (const change of broken) {
      const rows: Contents['rows'] = async function* () {
        const reading = contents.rows();
        for (;;) {
          const { done, value } = await reading.next();
          if (done) return value;
          yield { ...value, lines: value.lines.map(change) };
        }
      };
      await expect(load(database, { ...contents, rows }, { clock }), `${change}`).rejects.toThrow();
    }
    const counts = { ...contents.trailer.counts, tasks: 15 };
    const short: Contents['rows'] = async function* () {
      const { sha256 } = yield* contents.rows();
      return { counts, sha256 };
    };
    const refused = load(database, { ...contents, rows: short }, { clock });
    await expect(refused).rejects.toThrow('Of 15 rows of tasks, 14 were restored');
    expect(await linesIn(database)).toMatchObject({ rows: before.rows });
    expect(await load(database, contents, { clock })).toMatchObject({ drifts: 0 });
  });

  it('tells of counters that were wrong when the backup was made, and refuses users in a time zone that the database does not know', async () => {
    const source = await restored();
    const again = async (wrong: string) => {
      await execute(source, `update user_progress set ${wrong} where points in (1, 20.5)`);
      const copy = await ownDatabase();
      return { copy, loading: readSnapshot(source, (contents) => load(copy, contents, { clock })) };
    };
    expect(await (await again('points = 1')).loading).toMatchObject({ drifts: 1 });
    const { copy, loading } = await again(`time_zone = 'Mars/Olympus'`);
    await expect(loading).rejects.toThrow(
      'The backup has 1 user in time zones that this PostgreSQL does not know (Mars/Olympus): nothing is kept.',
    );
    expect(await execute(copy, 'select from users')).toEqual([]);
  });

  it('migrates an older backup, into a database that has no tables yet', async () => {
    const database = await databaseOf(laterModel, { migrates: false });
    onTestFinished(() => database.close());
    await load(database, await fixture(), { clock });
    const found = await execute(database, 'select distinct later from tasks');
    expect(found).toEqual([{ later: 'made before' }]);
    const titles = await execute(database, 'select title from challenge_templates where id = 1');
    expect(titles, 'the data of the backup was migrated').toEqual([{ title: 'A GOOD WEEK' }]);
    expect(await database.orm.migrator.getPending()).toEqual([]);
    expect((await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim()).toBe(
      `alter table "tasks" drop column "later";`,
    );
  });
});
