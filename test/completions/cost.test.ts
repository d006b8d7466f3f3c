import { CompiledQuery, sql } from 'kysely';
import { expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { completionsOf, hourly } from '../support/histories.js';
import { type Query, queriesOf } from '../support/statements.js';
import { type World, world, worldOf } from '../support/world.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'WAL Bytes': number;
  Plans?: PlanNode[];
}

async function planOf({ database }: World, { sql: text, parameters }: Query): Promise<PlanNode> {
  const explained = CompiledQuery.raw(`explain (analyze, wal, format json) ${text}`, [...parameters]);
  const asked = database.query().executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explained);
  return (await asked).rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode;
}

/** How many rows of a table each statement looks at that looks at any, and how. */
async function readsOf(here: World, table: string, work: () => Promise<unknown>) {
  const reads: number[] = [];
  const kinds = new Set<string>();
  const look = (node: PlanNode): number => {
    const { 'Actual Rows': rows, 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops } = node;
    kinds.add(`${node['Node Type']} on ${node['Relation Name']}`);
    const own = node['Relation Name'] === table ? (rows + removed) * loops : 0;
    return own + (node.Plans ?? []).reduce((sum, part) => sum + look(part), 0);
  };
  const asked = (await queriesOf(here, work)).filter((each) => each.sql.includes(table));
  for (const each of asked) reads.push(Math.round(look(await planOf(here, each)))); // shown as a mean of loops
  return { reads: reads.filter((rows) => rows > 0), sum: reads.reduce((sum, rows) => sum + rows, 0), kinds };
}

async function inFreshDatabase() {
  const database = await ownDatabase();
  const here = await world({ database });
  here.clock.set('2026-11-21T12:00:00Z');
  return { ...here, ana: await here.newUser(), query: database.query() };
}

const DAYS = 800;
const TASKS = 20;

/** The days on which a page ends are read whole: completions of a day are in no order. */
const PAGE = 50 + TASKS;
const COMPLETIONS = 'nodes { completedAt } pageInfo { endCursor hasPreviousPage }';
const YEAR = 'from: "2025-01-01", to: "2025-12-31"';

/** What reads completions, and how many rows of them it may read. */
const readers: [query: string, most: number][] = [
  [`completions(first: 50) { ${COMPLETIONS} }`, PAGE],
  [`completions(first: 50, after: $next, ${YEAR}) { ${COMPLETIONS} }`, PAGE + 2 * TASKS],
  [`completions(first: 50, taskId: $task) { ${COMPLETIONS} }`, 60],
  [`completions(first: 50, ${YEAR}) { ${COMPLETIONS} }`, PAGE],
  [`completions(first: 50, taskId: $task, ${YEAR}) { ${COMPLETIONS} }`, 60],
  ['tasks { nodes { completions(first: 3) { nodes { completedAt } } } }', TASKS * 5],
  ['tasks { nodes { today { state amount lastCompletion { id } } } }', TASKS * 40],
  ['tasks { nodes { calendar(last: 31) { date state completionCount } } }', TASKS * 70],
  ['me { calendar(last: 365) { date completionCount } }', TASKS * 370],
  ['challenges { nodes { progress { daysDone } } }', 3 * DAYS], // each once, for all thirty
];

it('A long history is read no further than what is asked for, and its indexes stay small', async () => {
  const { ana, query, ...here } = await inFreshDatabase();
  const ids: number[] = [];
  for (let number = 0; number < TASKS; number += 1) ids.push((await ana.hasTask()).id);
  await completionsOf(sql`
    select ${ana.id}::uuid, id, 1, timestamp '2026-11-21' - ago * interval '1 day' + (id % 600) * interval '1 minute'
    from generate_series(1, ${DAYS}) as ago, unnest(${ids}::bigint[]) as task (id)
    order by ago desc, id`).execute(query);
  await sql`
    update tasks set challenge_template_id = 3, last_completed_at = '2026-11-20' where id = any(${ids.slice(0, 3)})`.execute(
    query,
  );
  await sql`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select ${ana.id}, 3, 'ABANDONED', timestamptz '2025-06-01' + number * interval '1 day', now(), now()
    from generate_series(1, 30) as number`.execute(query);
  for (const id of ids.slice(0, 3)) await ana.completes({ id });
  await sql`analyze`.execute(query);
  const { pageInfo } = (await ana.query(`{ completions(first: 50, ${YEAR}) { ${COMPLETIONS} } }`))
    .completions;
  for (const [name, most] of readers) {
    const asked = name.replace('$task', `"${ids[3]}"`).replace('$next', `"${pageInfo.endCursor}"`);
    const { sum, kinds } = await readsOf(here, 'task_completions', () => ana.query(`{ ${asked} }`));
    expect(sum, name).toBeGreaterThan(0);
    expect(sum, name).toBeLessThanOrEqual(most);
    expect(kinds, name).not.toContain('Seq Scan on task_completions');
  }
  const { rows } = await sql<{ ofTable: number }>`
    select pg_indexes_size('task_completions')::float / pg_relation_size('task_completions') as "ofTable"`.execute(
    query,
  );
  expect(rows[0]?.ofTable).toBeLessThan(1);
});

it('In a database of one user, a busy task costs the others nothing: none of its completions are read for them', async () => {
  const { ana, query, ...here } = await inFreshDatabase();
  const [busy, other] = [await ana.hasTask(), await ana.hasTask()];
  await hourly(ana, busy, 10_000, '2021-01-01Z').execute(query);
  await sql`analyze task_completions`.execute(query);
  const readBy = (text: string) => readsOf(here, 'task_completions', () => ana.query(text));
  const lists = 'completions(first: 5) { totalCount nodes { id } pageInfo { hasPreviousPage } }';
  const { reads } = await readBy(`{ tasks { nodes { ${lists} } } }`);
  expect(reads).toEqual([18]); // the last day has 16, is read whole, and put in order
  const days = '(from: "2021-01-01", to: "2021-12-31")';
  const fields = `${lists} streak { count } today { completionCount } calendar${days} { completionCount }`;
  for (const asked of [
    `{ task(id: ${other.id}) { ${fields} } }`,
    `{ completions(first: 5, from: "2021-01-01", taskId: ${other.id}) { totalCount nodes { id } } }`,
  ])
    expect((await readBy(asked)).sum, asked).toBe(0);

  const { id } = await ana.hasAccepted(3);
  await sql`update user_challenges set start_date = '2019-12-31'`.execute(query);
  await hourly(ana, other, 1, '2020-01-01Z').execute(query);
  await sql`update tasks set challenge_template_id = 3, last_completed_at = '2020-01-01' where id = ${other.id}`.execute(
    query,
  );
  const progress = `{ challenge(id: ${id}) { progress { daysDone } } }`;
  expect((await ana.query(progress)).challenge.progress.daysDone).toBe(1);
  expect((await readBy(progress)).sum).toBe(1);
});

it('A page of two thousand tasks reads what it shows, without sorting, be they archived, moved or neither', async () => {
  const { ana, bob, ...here } = await worldOf('ana', 'bob');
  const query = here.database.query();
  await sql`
    insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at, archived_at, listed_at, rank)
    select owner, 'Swim', 10, false, instant, instant, case when number % 2 > 0 then now() end,
      case when number % 7 = 0 then instant end, case when number % 7 = 0 then number + 0.5 end
    from unnest(array[${ana.id}, ${bob.id}]::uuid[]) owner, generate_series(1, 2000) as number,
      lateral (select timestamptz '2024-01-01' + number / 3 * interval '1 second' as instant) as made`.execute(
    query,
  );
  await sql`analyze tasks`.execute(query);
  const PAGE = `query ($archived: ArchiveFilter!, $after: String) {
    tasks(first: 50, archived: $archived, after: $after) { nodes { id } pageInfo { hasPreviousPage endCursor } }
  }`;
  for (const archived of ['IN_USE', 'ARCHIVED']) {
    const read = (after?: string) => readsOf(here, 'tasks', () => ana.query(PAGE, { archived, after }));
    const first = await read();
    const next = await read((await ana.query(PAGE, { archived })).tasks.pageInfo.endCursor);
    expect([first.reads, next.reads]).toEqual([[51], [51, 1]]);
    expect([...first.kinds, ...next.kinds].filter((kind) => /Sort/.test(kind))).toEqual([]);
  }
});

it('A completion writes little WAL, and touches no index of its user and its task', async () => {
  const here = await world({ database: await ownDatabase() });
  const ana = await here.newUser();
  const task = await ana.hasTask();
  const asked = await queriesOf(here, () => ana.completes(task));
  const completion = asked.find((each) => /insert into task_completions/.test(each.sql)) as Query;
  const bytes: number[] = [];
  for (let time = 0; time < 5; time += 1) bytes.push((await planOf(here, completion))['WAL Bytes']);
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
