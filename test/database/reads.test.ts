import { CompiledQuery, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { ownDatabase } from '../support/database.js';
import { queriesOf } from '../support/statements.js';
import { type TestUser, type World, world, worldOf } from '../support/world.js';

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows of a table that a part of a plan has looked at. */
function rowsRead(node: PlanNode, table: string): number {
  const below = (node.Plans ?? []).reduce((sum, part) => sum + rowsRead(part, table), 0);
  if (node['Relation Name'] !== table) return below;
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}

/** How the statements of a query are executed. */
async function plansOf(here: World, user: TestUser, query: string, variables?: Record<string, unknown>) {
  await user.query('{ me { id } }'); // the process knows the user, whatever it forgot
  const queries = await queriesOf(here, () => user.query(query, variables));
  const plans: PlanNode[] = [];
  for (const { sql: text, parameters } of queries) {
    const explained = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]);
    const { rows } = await here.database
      .query()
      .executeQuery<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(explained);
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (plan) plans.push(plan);
  }
  return plans;
}

/** How many rows each statement reads from a table, if any: the user is read before only when the process forgot them. */
function rowsReadBy(plans: PlanNode[], table: string): number[] {
  expect(plans).not.toEqual([]);
  return plans.map((plan) => Math.round(rowsRead(plan, table))).filter((rows) => rows > 0); // shown as a mean of loops
}

/** How many completions the statements of a query read, one by one. */
const completionsRead = async (...query: Parameters<typeof plansOf>) =>
  rowsReadBy(await plansOf(...query), 'task_completions');

/** Someone with three tasks, each done 3,000 times. */
async function withLongHistory({ newUser, database }: World): Promise<{ ana: TestUser; tasks: number[] }> {
  const ana = await newUser();
  const tasks: number[] = [];
  for (let index = 0; index < 3; index += 1) tasks.push((await ana.hasTask()).id);
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, (completed_at at time zone 'UTC')::date, completed_at from (
        select ${ana.id}::uuid, task_id, 10, timestamptz '2020-01-01' + number * interval '10 hours'
        from unnest(${tasks}::bigint[]) as task_id, generate_series(1, 3000) as number
      ) made (user_id, task_id, points, completed_at)
  `.execute(database.query());
  await sql`analyze task_completions`.execute(database.query());
  return { ana, tasks };
}

const tasksRead = (plans: PlanNode[]) => rowsReadBy(plans, 'tasks');

describe('With two thousand tasks, half of them archived and some moved', () => {
  const PAGE = `query ($archived: ArchiveFilter!, $after: String) {
    tasks(first: 50, archived: $archived, after: $after) { nodes { id } pageInfo { hasPreviousPage endCursor } }
  }`;

  it.each(['IN_USE', 'ARCHIVED'])(
    'a page of the list (archived: %s) reads what it shows, without sorting',
    async (archived) => {
      const { ana, bob, ...here } = await worldOf('ana', 'bob');
      await sql`
      insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at, archived_at, listed_at, rank)
      select owner, 'Swim', 10, false, instant, instant, case when number % 2 > 0 then now() end,
        case when number % 7 = 0 then instant end, case when number % 7 = 0 then number + 0.5 end
      from unnest(array[${ana.id}, ${bob.id}]::uuid[]) owner, generate_series(1, 2000) as number,
        lateral (select timestamptz '2024-01-01' + number / 3 * interval '1 second' as instant) as made
    `.execute(here.database.query());
      await sql`analyze tasks`.execute(here.database.query());
      const first = await plansOf(here, ana, PAGE, { archived });
      expect(tasksRead(first)).toEqual([51]);
      const after = (await ana.query(PAGE, { archived })).tasks.pageInfo.endCursor;
      const next = await plansOf(here, ana, PAGE, { archived, after });
      expect(tasksRead(next)).toEqual([51, 1]);
      expect(JSON.stringify([first, next])).not.toContain('Sort');
    },
  );
});

/** What all statements of a query read. */
const sumRead = async (...query: Parameters<typeof plansOf>) =>
  (await completionsRead(...query)).reduce((sum, each) => sum + each, 0);

describe('With thousands of completions', () => {
  it('a page in the middle reads about as many as it shows, and two to know that something comes before', async () => {
    const here = await world();
    const { ana, tasks } = await withLongHistory(here);
    const page = 'nodes { id } pageInfo { hasPreviousPage endCursor }';
    const ofTask = `query ($id: ID!, $after: String) { task(id: $id) { completions(first: 50, after: $after) { ${page} } } }`;
    const id = String(tasks[1]);
    // One more than the page has, and up to three at either end: days are read whole, and put in order.
    expect(await completionsRead(here, ana, ofTask, { id })).toEqual([52]);
    const middle = Buffer.from(
      Buffer.from((await ana.query(ofTask, { id })).task.completions.pageInfo.endCursor, 'base64url')
        .toString()
        .replace(/ \d+ (\d+) \S+$/, ` ${Date.parse('2021-09-18T00:00:00.000Z')} $1 2021-09-18`),
    ).toString('base64url');
    expect(await completionsRead(here, ana, ofTask, { id, after: middle })).toEqual([54, 2]);
  });

  it('the progress of fifty challenges reads one completion for each day, once', async () => {
    const here = await world();
    const { ana } = await withLongHistory(here);
    const query = here.database.query();
    await sql`
      update tasks set challenge_template_id = 3, last_completed_at = (
        select max(completed_at) from task_completions where user_id = ${ana.id}
      ) where user_id = ${ana.id}`.execute(query);
    await sql`
      insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
      select ${ana.id}, 3, 'ABANDONED', timestamptz '2021-01-01' + number * interval '1 day', now(), now()
      from generate_series(1, 50) as number
    `.execute(query);
    const read = await sumRead(here, ana, '{ challenges { nodes { progress { daysDone } } } }');
    expect(read).toBeCloseTo(3 * 884, -2);
  });
});

/** As in the database of somebody who is alone in it: the planner takes all tasks for as busy as the one. */
it('In a database of one user, a busy task costs the others nothing: none of its completions are read for them', async () => {
  const database = await ownDatabase();
  const here = await world({ database });
  const ana = await here.newUser();
  const [busy, other] = [await ana.hasTask(), await ana.hasTask()];
  const query = database.query();
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, (completed_at at time zone 'UTC')::date, completed_at from (
        select ${ana.id}::uuid, ${busy.id}::bigint, 10, timestamptz '2021-01-01' + number * interval '1 hour'
        from generate_series(1, 30000) as number
      ) made (user_id, task_id, points, completed_at)
  `.execute(query);
  await sql`analyze task_completions`.execute(query);

  const lists = 'completions(first: 5) { totalCount nodes { id } pageInfo { hasPreviousPage } }';
  const ofLastDay = [26]; // it has 24, is read whole, and put in order
  expect(await completionsRead(here, ana, `{ tasks { nodes { ${lists} } } }`)).toEqual(ofLastDay);
  const days = '(from: "2021-01-01", to: "2021-12-31")';
  const fields = `${lists} streak { count } today { completionCount } calendar${days} { completionCount }`;
  const ofOther = [
    `{ task(id: ${other.id}) { ${fields} } }`,
    `{ completions(first: 5, from: "2021-01-01", taskId: ${other.id}) { totalCount nodes { id } } }`,
  ];
  for (const asked of ofOther) expect(await sumRead(here, ana, asked), asked).toBe(0);

  const { id } = await ana.hasAccepted(3);
  await sql`update user_challenges set start_date = '2019-12-31'`.execute(query);
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
    values (${ana.id}, ${other.id}, 10, '2020-01-01', '2020-01-01', '2020-01-01')`.execute(query);
  await sql`update tasks set challenge_template_id = 3, last_completed_at = '2020-01-01' where id = ${other.id}`.execute(
    query,
  );
  const progress = 'query ($id: ID!) { challenge(id: $id) { progress { daysDone } } }';
  expect((await ana.query(progress, { id })).challenge.progress.daysDone).toBe(1);
  expect(await sumRead(here, ana, progress, { id })).toBe(1);
});
