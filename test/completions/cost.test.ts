import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { type Query, queriesOf } from '../support/statements.js';
import { world } from '../support/world.js';

const explained = async (here: Awaited<ReturnType<typeof world>>, { sql: text, parameters }: Query) => {
  const { rows } = await here.database
    .query()
    .executeQuery<Record<string, string>>(
      CompiledQuery.raw(`explain (analyze, wal, buffers, timing off) ${text}`, [...parameters]),
    );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
};

const DAYS = 2_000;
const TASKS = 20;

/** Twenty habits, each kept every day for five and a half years. */
async function longLife() {
  const here = await world({ database: await ownDatabase() });
  here.clock.set('2026-11-21T12:00:00Z');
  const ana = await here.newUser();
  const tasks = [];
  for (let number = 0; number < TASKS; number += 1) tasks.push(await ana.hasTask());
  const query = here.database.query();
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
    select ${ana.id}::uuid, task.id, 1, at, at::date, at
    from generate_series(1, ${DAYS}) as ago, unnest(${tasks.map(({ id }) => id)}::bigint[]) as task (id),
      lateral (select timestamp '2026-11-21' - ago * interval '1 day' + (task.id % 600) * interval '1 minute') made (at)
    order by made.at
  `.execute(query);
  for (const task of tasks.slice(0, 3)) await ana.completes(task);
  await sql`analyze`.execute(query);
  return { ...here, ana, tasks };
}

const COMPLETIONS = 'nodes { completedAt } pageInfo { endCursor hasPreviousPage }';

/** The days on which a page ends are read whole: completions of a day are in no order. */
const PAGE = 50 + TASKS;
const YEAR = 'from: "2024-01-01", to: "2024-12-31"';

/** What reads completions, and how many rows of them it may read. */
const readers: [query: string, most: number][] = [
  [`completions(first: 50) { ${COMPLETIONS} }`, PAGE],
  [`completions(first: 50, taskId: $task) { ${COMPLETIONS} }`, 60],
  [`completions(first: 50, ${YEAR}) { ${COMPLETIONS} }`, PAGE],
  [`completions(first: 50, taskId: $task, ${YEAR}) { ${COMPLETIONS} }`, 60],
  ['tasks { nodes { completions(first: 3) { nodes { completedAt } } } }', TASKS * 5],
  ['tasks { nodes { today { state amount lastCompletion { id } } } }', TASKS * 40],
  ['tasks { nodes { calendar(last: 31) { date state completionCount } } }', TASKS * 70],
  ['me { calendar(last: 365) { date completionCount } }', TASKS * 370],
];

it('A long history is read no further than what is asked for, and its indexes stay small', async () => {
  const { ana, tasks, ...here } = await longLife();
  const task = String(tasks[3]?.id);
  for (const [name, most] of readers) {
    const asked = await queriesOf(here, () => ana.query(`{ ${name.replace('$task', task)} }`));
    const ofCompletions = asked.filter((each) => /from "?task_completions/.test(each.sql));
    expect(ofCompletions, name).not.toHaveLength(0);
    let read = 0;
    for (const each of ofCompletions) {
      const plan = await explained(here, each);
      expect(plan, name).not.toMatch(/Seq Scan on task_completions/);
      for (const [, rows, loops] of plan.matchAll(
        / on task_completions(?: \w+)? {2}\(.*\(actual rows=([\d.]+) loops=(\d+)\)/g,
      ))
        read += Number(rows) * Number(loops);
      for (const [, removed] of plan.matchAll(/Rows Removed by Filter: (\d+)/g))
        expect(Number(removed), `${name}\n${plan}`).toBeLessThan(500);
    }
    expect(read, name).toBeGreaterThan(0);
    expect(read, name).toBeLessThanOrEqual(most);
  }
  const { rows } = await sql<{ ofTable: number }>`
    select pg_indexes_size('task_completions')::float / pg_relation_size('task_completions') as "ofTable"`.execute(
    here.database.query(),
  );
  expect(rows[0]?.ofTable).toBeLessThan(1);
});

it('A completion writes little WAL, and touches no index of its user and its task', async () => {
  const here = await world({ database: await ownDatabase() });
  const ana = await here.newUser();
  const task = await ana.hasTask();
  const [completion] = (await queriesOf(here, () => ana.completes(task))).filter((each) =>
    /insert into task_completions/.test(each.sql),
  );
  if (!completion) throw new Error('it was none');
  const bytes = [];
  for (let time = 0; time < 5; time += 1)
    bytes.push(Number(/WAL: .*bytes=(\d+)/.exec(await explained(here, completion))?.[1]));
  const least = Math.min(...bytes); // a page that a checkpoint has seen is written whole, once
  expect(least).toBeGreaterThan(0);
  expect(least).toBeLessThanOrEqual(1_300);
  const { rows } = await here.database.transaction(async (tx) => {
    const within = tx.getKysely();
    await sql`
      update user_progress set last_active_on = last_active_on - 1, run_started_on = run_started_on - 1
      where user_id = ${ana.id}`.execute(within);
    await within.executeQuery(CompiledQuery.raw(completion.sql, [...completion.parameters])); // the first of its day
    return sql<{ name: string; updates: number; hot: number }>`
      select relname as name, n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_xact_user_tables
      where relname in ('user_progress', 'tasks') order by relname`.execute(within);
  });
  expect(rows.map(({ name }) => name)).toEqual(['tasks', 'user_progress']);
  for (const { updates, hot } of rows) expect(hot).toBe(updates);
});
