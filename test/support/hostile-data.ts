import { type Kysely, sql } from 'kysely';
import type { Known } from './hostile-documents.js';

const LONG = 10_000;

/** Sends a query as the user who has been filled. */
type Ask = (query: string) => Promise<{ data: Record<string, unknown> }>;

/**
 * Gives a user as much as few rows can be: texts as long as they may be, and a row of every kind for each of
 * `rows`. Answers what a document may name of it.
 */
export async function fill(
  database: Kysely<unknown>,
  { userId, rows, ask }: { userId: string; rows: number; ask: Ask },
): Promise<Known> {
  await sql`
    insert into tasks (user_id, challenge_template_id, title, description, points, is_daily_routine,
      completion_count, created_at, updated_at)
    select ${userId}::uuid, 1 + number % 3, repeat('t', 500), repeat('d', ${LONG}::int), 1.5, true, ${rows}::int,
      timestamptz '2026-01-01' + number * interval '1 second', timestamptz '2026-01-01'
    from generate_series(1, ${rows}::int) as number`.execute(database);
  await sql`
    insert into task_completions (user_id, task_id, points, completed_at)
    select user_id, id, 1.5, timestamptz '2026-01-01' + number * interval '1 day' + id * interval '1 ms'
    from tasks, generate_series(1, ${rows}::int) as number where user_id = ${userId}::uuid`.execute(database);
  await sql`
    insert into user_challenges (user_id, template_id, status, start_date, completed_at, notes, created_at, updated_at)
    select ${userId}::uuid, 1 + number % 3, case number when 1 then 'ACTIVE' else 'COMPLETED' end,
      timestamptz '2026-01-01', case number when 1 then null else timestamptz '2026-02-01' end,
      repeat('n', ${LONG}::int), timestamptz '2026-01-01' + number * interval '1 second', timestamptz '2026-01-01'
    from generate_series(1, ${rows}::int) as number`.execute(database);
  const idsOf = async (table: string) => {
    const { rows } = await sql<{ id: string }>`
      select id::text from ${sql.table(table)} where user_id = ${userId}::uuid order by id limit 3`.execute(
      database,
    );
    return rows.map(({ id }) => `"${id}"`);
  };
  return {
    ...(await cursorsOf(ask)),
    'Query.task.id': await idsOf('tasks'),
    'Query.completion.id': await idsOf('task_completions'),
    'Query.challenge.id': await idsOf('user_challenges'),
    id: ['"1"', '"2"', '"3"'],
    from: ['"2026-01-01"', '"2026-11-01"'],
    to: ['"2026-11-30"', '"2026-12-31"'],
    status: ['ACTIVE', 'COMPLETED'],
    period: ['WEEK', 'MONTH'],
  };
}

const CURSORS = `{
  tasks(first: 2) { edges { cursor node { completions(first: 2) { edges { cursor } } } } }
  completions(first: 2) { edges { cursor } }
  challenges(first: 2) { edges { cursor node { tasks(first: 2) { edges { cursor } } } } }
}`;

type Edges = { edges: { cursor: string; node: Record<string, Edges> }[] };

/** Of every list there is: of those below others, the cursors of the first one. */
async function cursorsOf(ask: Ask): Promise<Known> {
  const { tasks, completions, challenges } = (await ask(CURSORS)).data as Record<string, Edges>;
  const textsOf = (list?: Edges) => (list?.edges ?? []).map(({ cursor }) => JSON.stringify(cursor));
  return {
    'Query.tasks.after': textsOf(tasks),
    'Query.completions.after': textsOf(completions),
    'Query.challenges.after': textsOf(challenges),
    'Task.completions.after': textsOf(tasks?.edges[0]?.node.completions),
    'Challenge.tasks.after': textsOf(challenges?.edges[0]?.node.tasks),
  };
}
