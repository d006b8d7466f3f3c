import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Challenge } from '../challenges/challenge.entity.js';
import { completionDay } from '../completions/completion-day.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { columnsOf, isoOf as iso } from '../database/columns.js';
import { Task } from '../tasks/task.entity.js';
import { hiddenOfTask } from '../tasks/task.queries.js';
import { place } from '../tasks/task-order.queries.js';

/** Completions that one statement reads. */
const CHUNK = 5_000;

const isoOf = (column: string) => iso(sql.ref(column));

const RECORDED = sql`coalesce(recorded_at, completed_at)`;

type Query = Kysely<CompletionTables>;

async function textsOf(query: Query, rows: RawBuilder<{ text: string }>): Promise<string[]> {
  return (await rows.execute(query)).rows.map(({ text }) => text);
}

export async function accountText(query: Query, userId: string): Promise<string | undefined> {
  const texts = await textsOf(
    query,
    sql`
      select json_build_object('name', name, 'email', email, 'profilePicture', profile_picture,
        'timeZone', time_zone, 'dayStartsAt', day_starts_at, 'createdAt', ${isoOf('created_at')})::text as text
      from users join user_progress on user_id = id where id = ${userId}`,
  );
  return texts[0];
}

const titleOf = (template: string) =>
  sql`(select title from challenge_templates where challenge_templates.id = ${sql.ref(template)})`;

/** The last of the user's tasks, by id; 0 without any. What is exported is of tasks until then. */
export async function lastTask(query: Query, userId: string): Promise<number> {
  const { rows } = await sql<{ id: string | null }>`
    select max(id) as id from tasks where user_id = ${userId}`.execute(query);
  return Number(rows[0]?.id ?? 0);
}

/** Left out is what belongs to the account here, and what is counted from completions. */
const exportedOfTask = columnsOf(Task, 'userId', 'completionCount', 'lastCompletedAt', ...hiddenOfTask);
const exportedOfChallenge = columnsOf(Challenge, 'id', 'userId');

/** In the user's own order. */
export const taskTexts = (query: Query, userId: string) =>
  textsOf(
    query,
    sql`
      select json_build_object(${exportedOfTask.fieldsOf('tasks')},
        'challengeTemplateTitle', ${titleOf('tasks.challenge_template_id')})::text as text
      from tasks where user_id = ${userId}
      order by ${place}`,
  );

export const challengeTexts = (query: Query, userId: string) =>
  textsOf(
    query,
    sql`
      select json_build_object(${exportedOfChallenge.fieldsOf('user_challenges')},
        'templateTitle', ${titleOf('user_challenges.template_id')})::text as text
      from user_challenges where user_id = ${userId} order by start_date, id`,
  );

/** Whatever DateStyle the database has. */
const day = sql`to_char(${completionDay}, 'YYYY-MM-DD')`;

/** By hand and not by a function of PostgreSQL, which would take three times as long. */
const asJson = sql`
  '{"task":' || task_id || ',"points":' || points || ',"completedAt":"' || ${isoOf('completed_at')} ||
  '","day":"' || ${day} || '","recordedAt":"' || ${iso(RECORDED)} || '"}'`;

/** Where a cell may begin: some spreadsheets split at semicolons or tabs, and then know nothing of our quotes. */
const FORMULA = String.raw`(^|[;\t\r\n])([\s"\u00a0\ufeff]*[=+@＝＋＠－-])`;

/** A title is quoted; where a spreadsheet would take a part of it for a formula, an apostrophe keeps it from that. */
const asCsv = (userId: string) => sql`
  ${isoOf('completed_at')} || ',' || ${day} || ',' || ${iso(RECORDED)} || ',' || points || ',' || task_id || ',"' ||
  (select replace(regexp_replace(title, ${FORMULA}, E'\\\\1''\\\\2', 'g'), '"', '""')
    from tasks where tasks.id = task_id and tasks.user_id = ${userId}) || E'"\\r\\n'`;

export const CSV_HEAD = 'completed_at,day,recorded_at,points,task_id,task\r\n';

interface Exported {
  userId: string;
  lastTask: number;
}

/** Oldest first, some thousands at a time. */
async function* chunks(
  query: Query,
  { userId, lastTask }: Exported,
  line: RawBuilder<unknown>,
  separator: string,
) {
  for (let at = '-infinity', id = 0; ; ) {
    const { rows } = await sql<{ text: string; count: number; at: string; id: number }>`
      select string_agg(line, ${separator} order by completed_at, id) as text, count(*)::int as count,
        (array_agg(${isoOf('completed_at')} order by completed_at desc, id desc))[1] as at,
        (array_agg(id order by completed_at desc, id desc))[1] as id
      from (
        select completed_at, id, ${line} as line from task_completions
        where user_id = ${userId} and task_id <= ${lastTask} and (completed_at, id) > (${at}::timestamptz, ${id})
        order by completed_at, id limit ${CHUNK}
      ) chunk`.execute(query);
    const [chunk] = rows;
    if (!chunk || chunk.count === 0) return;
    yield chunk.text;
    if (chunk.count < CHUNK) return;
    ({ at, id } = chunk);
  }
}

export const completionsAsJson = (query: Query, exported: Exported) => chunks(query, exported, asJson, ',');

export const completionsAsCsv = (query: Query, exported: Exported) =>
  chunks(query, exported, asCsv(exported.userId), '');
