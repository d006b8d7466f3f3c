import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import pino from 'pino';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { asRequest, asVisit, noteChange, noteRead, READ_LIMIT_BYTES } from '../../src/base/request.js';
import type { Database } from '../../src/database/database.js';
import { Together } from '../../src/database/together.js';
import {
  counting,
  insertCompletion,
  type NewCompletion,
} from '../../src/features/history/completions/completion.queries.js';
import { differencesAmong } from '../../src/features/history/completions/recount.js';
import { dayOf } from '../../src/features/schedules/day.js';
import { ownDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { eventsOf, withFeed } from '../support/feed.js';
import { holding, lockWaits } from '../support/locks.js';
import { people } from '../support/people.js';
import { queriesOf } from '../support/statements.js';
import { refusal, type TestUser, type World, world } from '../support/world.js';

interface Person {
  user: TestUser;
  task: { id: number };
}

type Seven = [Person, Person, Person, Person, Person, Person, Person];

let here: World;

beforeEach(async () => {
  here = await world();
});

/** The first one's task earns one point, and so on. */
async function crowd(size: number): Promise<Person[]> {
  const all = [];
  for (let points = 1; points <= size; points += 1) {
    const user = await here.newUser();
    all.push({ user, task: await user.hasTask({ points }) });
  }
  return all;
}

const together = (all: Person[], ask = ({ user, task }: Person) => user.completes(task)) =>
  Promise.all(all.map((each) => ask(each)));

/** How many are in each statement that records completions. */
async function sizesOf(work: () => Promise<unknown>): Promise<number[]> {
  const asked = await queriesOf(here, work);
  const recording = asked.filter(({ sql: text }) => text.includes('insert into task_completions'));
  return recording.map(({ parameters: [ids] }) => (Array.isArray(ids) ? ids.length : 1));
}

const rowsOf = async ({ user }: Person) => {
  const { rows } = await sql<{ id: number; task: number; points: number; key: string | null }>`
    select id::int, task_id::int as task, points::float, idempotency_key as key from task_completions
    where user_id = ${user.id} order by id`.execute(here.database.query());
  return rows;
};

const completionOf = ({ user, task }: Person, given: Partial<NewCompletion>): NewCompletion => {
  const at = given.at ?? here.clock.now();
  return {
    ...{ userId: user.id, taskId: task.id, at, day: dayOf(at), recordedAt: at, once: false },
    ...{ idempotencyKey: null, amount: null, note: null, ...given },
  };
};

/** Keeps a statement that tells the user's feed of something from going on, until what it answers is called. */
async function holdingFeedOf({ user }: Person) {
  await withFeed(user);
  return holding(here.database, sql`select from event_feeds where user_id = ${user.id} for update`);
}

/** Whether the counters are what a recount finds. */
async function isExact(all: Person[]): Promise<void> {
  const chunk = { users: all.map(({ user }) => user.id), today: dayOf(here.clock.now()) };
  expect((await differencesAmong(here.database.query(), chunk)).drifts).toEqual([]);
}

it('Twenty who complete at once are each counted once and told their own, also by GraphQL and in feeds, with few statements', async () => {
  const all = await crowd(20);
  const [alone] = all as [Person];
  expect(await sizesOf(() => alone.user.completes(alone.task))).toEqual([1]);
  for (const { user } of all.slice(0, 5)) await withFeed(user);
  const shown: { completeTask: object }[] = [];
  const answers: { body: { id: number } }[] = [];
  const sizes = await sizesOf(async () => {
    answers.push(...(await together(all)));
    here.clock.advance({ hours: 1 });
    const asked = all.map(({ user, task: { id } }) =>
      user.query(`mutation { completeTask(taskId: ${id}) {
        completion { points } task { id title points completionCount } user { id name points maxStreak } } }`),
    );
    shown.push(...(await Promise.all(asked)));
  });
  expect(sizes.reduce((sum, size) => sum + size)).toBe(40);
  expect(Math.max(...sizes)).toBeGreaterThan(5);
  for (const [number, person] of all.entries()) {
    const { user, task } = person;
    const points = number + 1;
    const rows = (await rowsOf(person)).slice(person === alone ? 1 : 0);
    expect(rows).toMatchObject(Array(2).fill({ task: task.id, points }));
    const body = { id: rows[0]?.id, task_id: task.id, user_id: user.id };
    expect(answers[number]).toMatchObject({ status: 201, body });
    const times = person === alone ? 3 : 2;
    expect(shown[number]?.completeTask).toEqual({
      completion: { points },
      task: { id: `${task.id}`, title: 'Swim', points, completionCount: times },
      user: { id: user.id, name: 'Ana', points: times * points, maxStreak: 1 },
    });
    if (number >= 5) continue;
    const events = await eventsOf(user);
    expect(events.map(({ kind, completionId }) => [kind, completionId])).toEqual(
      rows.map(({ id }) => ['COMPLETION_RECORDED', `${id}`]),
    );
  }
  await isExact(all);
});

it.each(['user_progress', 'tasks'])(
  'Who waits for a lock on %s delays nobody else, alone or in a set',
  async (table) => {
    const all = await crowd(12);
    const [alone, inSet, ...others] = all as [Person, Person, ...Person[]];
    const [first, ...last] = others as [Person, ...Person[]];
    const held = [alone, inSet];
    const ids = held.map(({ user }) => user.id);
    const letGo = await holding(
      here.database,
      sql`select from ${sql.table(table)} where user_id = any(${ids}::uuid[]) for update`,
    );
    const waiting = together([alone, first, inSet, ...last]); // the first turn ends before its statement does
    await eventually(async () => (await Promise.all(others.map(rowsOf))).every((rows) => rows.length === 1));
    for (const each of held) expect(await rowsOf(each)).toEqual([]);
    await letGo();
    for (const { status } of await waiting) expect(status).toBe(201);
    for (const each of held) expect(await rowsOf(each)).toHaveLength(1);
    await isExact(all);
  },
);

it('Who has more under way than a user may have delays nobody else', async () => {
  const all = await crowd(9);
  const [held, ...others] = all.toReversed() as [Person, ...Person[]];
  const letGo = await holding(
    here.database,
    sql`select from user_progress where user_id = ${held.user.id} for update`,
  );
  const waiting = together(Array<Person>(10).fill(held));
  const query = here.database.query();
  await eventually(async () => (await lockWaits(query)) >= 5); // of ten connections
  for (const { status } of await together(others)) expect(status).toBe(201);
  expect(await rowsOf(held)).toEqual([]);
  await letGo();
  for (const { status } of await waiting) expect(status).toBe(201);
  await isExact(all);
});

it('Who has gone while it waits is left out of a set, and what its leader read or changed before is no concern of the others', async () => {
  const all = await crowd(6);
  const set = new Together(here.database, counting);
  const gone = [2, 4];
  let isGone = false;
  const sizes = await sizesOf(async () => {
    const asked = all.map((person, number) =>
      asVisit({ isAbandoned: () => isGone && gone.includes(number) }, () =>
        asRequest(600_000, () => {
          if (number === 1) noteRead(READ_LIMIT_BYTES + 1);
          if (number === 1) noteChange();
          return insertCompletion(set, completionOf(person, {}));
        }),
      ),
    );
    isGone = true;
    for (const [number, { status }] of (await Promise.allSettled(asked)).entries())
      expect(status).toBe(gone.includes(number) ? 'rejected' : 'fulfilled');
  });
  expect(sizes).toEqual([1, 3]);
  for (const [number, person] of all.entries())
    expect(await rowsOf(person)).toHaveLength(gone.includes(number) ? 0 : 1);
});

it('Of a set that takes long each waits for its own time, and ends it for nobody else', async () => {
  const all = await crowd(6);
  const last = all.at(-1) as Person;
  const letGo = await holdingFeedOf(last);
  const set = new Together(here.database, counting);
  const asked = all.map((person, number) =>
    asRequest([1, 2].includes(number) ? 1_000 : 600_000, () =>
      insertCompletion(set, completionOf(person, {})),
    ),
  );
  const settled = Promise.allSettled(asked);
  const unknown = { status: 'rejected', reason: { details: { outcome: 'UNKNOWN' } } };
  for (const early of await Promise.allSettled(asked.slice(1, 3))) expect(early).toMatchObject(unknown);
  await letGo();
  for (const [number, { status }] of (await settled).entries())
    expect(status).toBe([1, 2].includes(number) ? 'rejected' : 'fulfilled');
  for (const person of all) expect(await rowsOf(person)).toHaveLength(1);
  await isExact(all);
});

it('The turn of a set is over with it, even if who leads it goes alone and waits', async () => {
  const all = await crowd(6);
  const [first, held, ...others] = all as [Person, Person, ...Person[]];
  const newcomer = others.pop() as Person;
  const set = new Together(here.database, counting);
  const record = (one: Person) => asRequest(600_000, () => insertCompletion(set, completionOf(one, {})));
  const letGo = await holding(
    here.database,
    sql`select from user_progress where user_id = ${held.user.id} for update`,
  );
  const begin = setTimeout;
  const ofTurn = vi.spyOn(globalThis, 'setTimeout');
  ofTurn.mockImplementation(((act: () => void, ms: number) => begin(act, ms === 20 ? 2 ** 30 : ms)) as never);
  onTestFinished(() => ofTurn.mockRestore());
  const opening = record(first);
  const waiting = record(held);
  const usual = others.map(record);
  await Promise.all([opening, ...usual]);
  expect(await record(newcomer)).not.toBeNull();
  await letGo();
  expect(await waiting).not.toBeNull();
});

it('What is refused, repeated or done by other rules is so by itself, and the others are recorded', async () => {
  here = await world({ database: await ownDatabase() });
  const all = await crowd(16);
  const usual = all.slice(7);
  const [repeats, archives, strange, lost, late, planned, zoned] = all as Seven;
  const key = randomUUID();
  const first = await repeats.user.completes(repeats.task, { 'idempotency-key': key });
  await archives.user.query(`mutation { archiveTask(id: ${archives.task.id}) { task { id } } }`);
  await planned.user.query(
    `mutation { updateTask(id: ${planned.task.id}, input: { schedule: { weekdays: [MONDAY] } }) { task { id } } }`,
  );
  await sql`update user_progress set last_active_on = '2026-12-31', run_started_on = '2026-12-31'
    where user_id = ${late.user.id}`.execute(here.database.query());
  await sql`update user_progress set time_zone = 'Nowhere/Lost' where user_id = ${zoned.user.id}`.execute(
    here.database.query(),
  );
  const lastOf = new Map([
    [strange, lost.task],
    [lost, { id: 2 ** 40 }],
  ]);
  for (let round = 1; round <= 2; round += 1) {
    const answers = await together(all, (person) =>
      person.user.completes(
        lastOf.get(person) ?? person.task,
        person === repeats ? { 'idempotency-key': key } : {},
      ),
    );
    const answerOf = (person: Person) => answers[all.indexOf(person)];
    expect(answerOf(repeats)).toMatchObject({ status: 201, body: first.body });
    expect(answerOf(repeats)?.headers.get('idempotent-replayed')).toBe('true');
    expect(answerOf(archives)).toEqual(refusal(400));
    expect(answerOf(strange)?.status).toBeGreaterThanOrEqual(400);
    expect(answerOf(lost)).toEqual(refusal(404));
    expect(answerOf(zoned)).toEqual(refusal(400));
    for (const person of [late, planned, ...usual]) expect(answerOf(person)?.status).toBe(201);
    for (const person of usual) expect(await rowsOf(person)).toHaveLength(round);
    for (const person of [archives, strange, lost, zoned]) expect(await rowsOf(person)).toEqual([]);
  }
  expect(await rowsOf(repeats)).toHaveLength(1);
});

it('A set that fails by a mistake of ours is recorded one by one, and the log tells of it once a minute', async () => {
  const lines: { level: number; err: { message: string } }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  here = await world({ database: await ownDatabase(), log });
  await sql`
    create function refuse_sets() returns trigger language plpgsql as $$
    begin
      if (select count(*) > 1 from made) then raise 'not so many'; end if;
      return null;
    end $$`.execute(here.database.query());
  await sql`
    create trigger refuse_sets after insert on task_completions referencing new table as made
    for each statement execute function refuse_sets()`.execute(here.database.query());
  const all = await crowd(12);
  for (let round = 1; round <= 2; round += 1) {
    const sizes = await sizesOf(async () => {
      for (const { status } of await together(all)) expect(status).toBe(201);
    });
    expect(Math.max(...sizes)).toBeGreaterThan(1);
  }
  for (const person of all) expect(await rowsOf(person)).toHaveLength(2);
  expect(lines).toMatchObject([{ level: 40, err: { message: expect.stringContaining('not so many') } }]);
  await isExact(all);
});

it('What two processes record for the same people at the same time is counted once, by its key if it has one', async () => {
  const other = await world();
  const all = await crowd(10);
  const completeAt = ({ rest }: World, key?: string) =>
    together(all, ({ user, task: { id } }) =>
      rest
        .as(user.token)
        .post('/api/task-completions', { task_id: id }, key ? { 'idempotency-key': key } : {}),
    );
  const answers = await Promise.all(
    [here, other, here, other].flatMap((service) => [completeAt(service, 'tap'), completeAt(service)]),
  );
  const withKey = answers.filter((_, number) => number % 2 === 0);
  for (const [number, person] of all.entries()) {
    const rows = await rowsOf(person);
    expect(rows).toHaveLength(5);
    const [{ id } = { id: 0 }, ...more] = rows.filter(({ key }) => key);
    expect(more).toEqual([]);
    for (const each of withKey) expect(each[number]).toMatchObject({ status: 201, body: { id } });
    expect(await person.user.profile()).toMatchObject({ points: 5 * (number + 1) });
  }
  await isExact(all);
});

it('Where the connection is lost meanwhile, what has a key is recorded once, and the others are in doubt', async () => {
  const all = await crowd(12);
  const last = all.at(-1) as Person;
  const letGo = await holdingFeedOf(last);
  const keys = new Map(all.map((person, number) => [person, number % 2 === 0 ? randomUUID() : undefined]));
  const asked = together(all, (person) => {
    const key = keys.get(person);
    return person.user.completes(person.task, key ? { 'idempotency-key': key } : {});
  });
  const query = here.database.query();
  await eventually(async () => (await lockWaits(query)) > 0);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(query);
  await letGo();
  const answers = await asked;
  let inDoubt = 0;
  for (const [number, person] of all.entries()) {
    const { status } = answers[number] ?? {};
    if (keys.get(person)) expect(status).toBe(201);
    if (status !== 201) {
      inDoubt += 1;
      expect(answers[number]).toEqual(refusal(503, 'The outcome is unknown'));
    }
    expect(await rowsOf(person)).toHaveLength(status === 201 ? 1 : 0);
  }
  expect(inDoubt).toBeGreaterThan(0);
  await isExact(all);
});

it('What a set has sent over a lost connection is in doubt for each of it, and is not sent again', async () => {
  const all = await crowd(6);
  const [first, , last] = all as [Person, Person, Person];
  const letGo = await holdingFeedOf(last);
  const set = new Together(here.database, counting);
  const asked = all.map((person) =>
    asRequest(600_000, () => insertCompletion(set, completionOf(person, {}))),
  );
  const settled = Promise.allSettled(asked);
  const query = here.database.query();
  await eventually(async () => (await lockWaits(query)) > 0);
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(query);
  await Promise.allSettled(asked.slice(1, 2)); // if they were sent again, they would be recorded
  await letGo();
  const [ofFirst, ...others] = await settled;
  expect(ofFirst).toMatchObject({ status: 'fulfilled' });
  for (const other of others)
    expect(other).toMatchObject({ status: 'rejected', reason: { outcome: 'UNKNOWN' } });
  for (const person of all) expect(await rowsOf(person)).toHaveLength(person === first ? 1 : 0);
});

/** What users were before, and complete one after the other. */
const LIVES: [zone: string | null, dayStartsAt: number, points: number, done: Partial<NewCompletion>[]][] = [
  [null, 0, 0.1, [{}, { amount: 2.25 }, { note: 'é "quoted", {braces} \\ NULL', idempotencyKey: 'a' }]],
  ['Pacific/Kiritimati', 3, 2.5, [{ note: '' }, { idempotencyKey: 'null' }, { amount: 0, note: 'null' }]],
  ['America/Los_Angeles', 6, 1_000_000, [{ amount: 1 }, { idempotencyKey: 'b', note: '{}' }, {}]],
  ['Asia/Kolkata', 1, 0, [{}, {}, { idempotencyKey: 'c', amount: 3 }]],
];

it('A set leaves the rows and the counters that single statements leave, and answers the same', async () => {
  const { database } = here;
  const liver = async ([zone, dayStartsAt, points]: (typeof LIVES)[number]) => {
    const user = await here.newUser();
    await sql`update user_progress set time_zone = ${zone}, day_starts_at = ${dayStartsAt}
      where user_id = ${user.id}`.execute(database.query());
    return { user, task: await user.hasTask({ points }) };
  };
  const [inSet, alone]: [Person[], Person[]] = [[], []];
  for (const all of [inSet, alone]) for (const life of LIVES) all.push(await liver(life));
  const since = here.clock.now().getTime();
  for (const [step, hours] of [3, 30, 110].entries()) {
    const wanted = (all: Person[]) =>
      all.map((person, number) => {
        const at = new Date(since + (hours + 7 * number) * 3_600_000);
        return completionOf(person, { at, ...LIVES[number]?.[3][step] });
      });
    const [set, single] = [new Together(database, counting), new Together(database, counting)];
    const ofSet = await Promise.all(wanted(inSet).map((each) => insertCompletion(set, each)));
    const ofAlone = [];
    for (const each of wanted(alone)) ofAlone.push(await insertCompletion(single, each));
    expect(ofSet.map(like)).toEqual(ofAlone.map(like));
  }
  for (const [number, person] of inSet.entries())
    expect(await storedOf(database, person)).toEqual(await storedOf(database, alone[number] as Person));
  await isExact([...inSet, ...alone]);
});

/** An answer without what differs between two users. */
const like = (answer: Awaited<ReturnType<typeof insertCompletion>>) =>
  answer && {
    ...answer,
    completion: { ...answer.completion, id: 0, userId: '', taskId: 0 },
    task: { ...answer.task, id: 0, userId: '', createdAt: null, updatedAt: null },
  };

async function storedOf(database: Database, { user }: Person) {
  const stored = [];
  for (const table of ['user_progress', 'tasks', 'task_completions']) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(${sql.ref(table)}) as row from ${sql.table(table)} where user_id = ${user.id} order by 1`.execute(
      database.query(),
    );
    stored.push(rows.map(({ row: { id, user_id, task_id, created_at, updated_at, ...row } }) => row));
  }
  return stored;
}

it('In a large database a set looks up rows by their keys, also by a plan that knows no values', async () => {
  const database = await ownDatabase();
  const query = database.query();
  await sql`${sql.raw(people(3_000))}
    insert into tasks (id, user_id, title, points, is_daily_routine, created_at, updated_at)
    select i * 10 + number, id, 'Swim', 2, false, now(), now() from numbers, generate_series(1, 2) number`.execute(
    query,
  );
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at, idempotency_key)
    select user_id, id, 2, at, at::date, at, case when id % 2 = 0 then id || at::text end
    from tasks, generate_series(timestamp '2026-11-22', '2026-11-23', '1 day') as at`.execute(query);
  await sql`analyze`.execute(query);
  const numbers = Array.from({ length: 12 }, (_, number) => number + 1);
  const at = '2026-11-24T12:00:00Z';
  const { text, parameters } = counting.many.with({
    userId: numbers.map((number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`),
    taskId: numbers.map((number) => number * 10 + 1),
    ...{ at: numbers.map(() => at) as never, recordedAt: numbers.map(() => at) as never },
    day: numbers.map(() => '2026-11-24'),
    idempotencyKey: numbers.map(() => 'key'),
    ...{ amount: numbers.map(() => null), note: numbers.map(() => null), once: [] },
  });
  const written = (value: unknown) => (Array.isArray(value) ? `{${value.map(String).join()}}` : '2999-12-31');
  const plan = await database.transaction(async (tx) => {
    const run = (command: string) =>
      tx.getKysely().executeQuery<Record<string, string>>(CompiledQuery.raw(command));
    await run('set local plan_cache_mode = force_generic_plan');
    await run(`prepare recording as ${text}`);
    const values = parameters.map((value) => `'${written(value)}'`);
    const { rows } = await run(`explain (analyze, buffers, timing off) execute recording (${values.join()})`);
    await run('deallocate recording');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).not.toMatch(/Seq Scan on (tasks|user_progress|task_completions)/);
  for (const [, removed] of plan.matchAll(/Rows Removed by .*: (\d+)/g))
    expect(Number(removed)).toBeLessThan(200);
  expect(plan).toMatch(/Insert on task_completions .*rows=12/);
});
