import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Challenge } from '../challenges/challenge.entity.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { columnsOf, isoOf as iso, type RowOf } from '../database/columns.js';
import { inputOf } from '../schedules/schedule.input.js';
import { scheduleOf, weekdaysIn } from '../schedules/schedule.js';
import { targetOf } from '../schedules/target.js';
import { Task } from '../tasks/task.entity.js';
import { hiddenOfTask } from '../tasks/task.queries.js';
import { place } from '../tasks/task-order.queries.js';

/** Rows that one statement reads. */
const CHUNK = 5_000;

const isoOf = (column: string) => iso(sql.ref(column));

type Query = Kysely<CompletionTables>;

async function textsOf(query: Query, rows: RawBuilder<{ text: string }>): Promise<string[]> {
  return (await rows.execute(query)).rows.map(({ text }) => text);
}

/** Who the user is at providers of OpenID Connect; null where nobody knows them. */
const identities = (userId: string) => sql`(
  select json_agg(json_build_object('issuer', issuer, 'subject', subject,
    'connectedAt', ${isoOf('connected_at')}) order by connected_at, id)
  from identities where user_id = ${userId})`;
const atOf = sql`to_char(make_interval(mins => minute), 'HH24:MI')`;

const dayReminder = (userId: string) => sql`(
  select ${atOf} from reminders where reminders.user_id = ${userId} and task_id is null limit 1)`;

/** Links without what lets in. */
const belowTask = (userId: string) => sql`
  'reminders', (
    select coalesce(json_agg(json_build_object('at', ${atOf}, 'weekdays', reminders.weekdays)
      order by minute, reminders.weekdays desc), '[]')
    from reminders where reminders.user_id = ${userId} and reminders.task_id = tasks.id
  ),
  'checkInLinks', (
    select coalesce(json_agg(json_build_object('name', links.name, 'amount', links.amount,
      'createdAt', ${iso(sql`links.created_at`)}) order by links.created_at), '[]')
    from check_in_links links where links.user_id = ${userId} and links.task_id = tasks.id
  )`;

export async function accountText(query: Query, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ account: object; identities: object[] | null }>`
      select json_build_object('name', name, 'email', email, 'profilePicture', profile_picture,
        'timeZone', time_zone, 'dayStartsAt', day_starts_at, 'weekStartsOn', coalesce(week_starts_on, 'MONDAY'),
        'language', language, 'dayReminder', ${dayReminder(userId)},
        'createdAt', ${isoOf('created_at')}) as account, ${identities(userId)} as identities
      from users join user_progress on user_id = id where id = ${userId}`.execute(query);
  const [found] = rows;
  return found && JSON.stringify({ ...found.account, identities: found.identities ?? undefined });
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
const exportedOfChallenge = columnsOf(Challenge, 'id', 'userId', 'linkedTaskIds');

type TaskRow = RowOf<typeof exportedOfTask> & {
  challengeTemplateTitle: string | null;
  reminders: { at: string; weekdays: number }[];
};

/** In the user's own order, as they can be created. */
export async function taskTexts(query: Query, userId: string): Promise<string[]> {
  const { rows } = await sql<{ task: TaskRow }>`
    select json_build_object(${exportedOfTask.fieldsOf('tasks')},
      'challengeTemplateTitle', ${titleOf('tasks.challenge_template_id')}, ${belowTask(userId)}) as task
    from tasks where user_id = ${userId}
    order by ${place}`.execute(query);
  return rows.map(({ task }) => {
    const { weekdays, everyDays, times, period, tags, reminders, ...more } = task;
    const { targetAmount, targetUnit, targetKind, targetPeriod, ...fields } = more;
    const schedule = inputOf(scheduleOf({ weekdays, everyDays, times, period }));
    const target = targetOf({ targetAmount, targetUnit, targetKind, targetPeriod });
    const ringing = reminders.map(({ at, weekdays: bits }) => ({ at, weekdays: weekdaysIn(bits) }));
    return JSON.stringify({ ...fields, schedule, target, tags: tags ?? [], reminders: ringing });
  });
}

export const challengeTexts = (query: Query, userId: string) =>
  textsOf(
    query,
    sql`
      select json_build_object(${exportedOfChallenge.fieldsOf('user_challenges')},
        'templateTitle', ${titleOf('user_challenges.template_id')})::text as text
      from user_challenges where user_id = ${userId} order by start_date, id`,
  );

/** Whatever DateStyle the database has. */
const day = sql`to_char(task_completions.day, 'YYYY-MM-DD')`;

/** A function of PostgreSQL would take three times as long. */
const asJson = sql`
  '{"task":' || task_id || ',"points":' || points || ',"completedAt":"' || ${isoOf('completed_at')} ||
  '","day":"' || ${day} || '","recordedAt":"' || ${isoOf('recorded_at')} || '"' ||
  coalesce(',"amount":' || amount, '') || coalesce(',"note":' || to_json(note)::text, '') || '}'`;

/** Where a cell may begin: some spreadsheets split at semicolons or tabs, and then know nothing of our quotes. */
const FORMULA = String.raw`(^|[;\t\r\n])([\s"\u0001-\u001f\u007f-\u00a0\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]*[=+@＝＋＠－-])`;

/** To be quoted; where a spreadsheet would take a part of it for a formula, an apostrophe keeps it from that. */
const unharmed = (text: RawBuilder<unknown>) =>
  sql`replace(regexp_replace(${text}, ${FORMULA}, E'\\\\1''\\\\2', 'g'), '"', '""')`;

const asCsv = (userId: string) => sql`
  ${isoOf('completed_at')} || ',' || ${day} || ',' || ${isoOf('recorded_at')} || ',' || points || ',' || task_id || ',"' ||
  (select ${unharmed(sql`title`)} from tasks where tasks.id = task_id and tasks.user_id = ${userId}) || '",' ||
  coalesce(amount::text, '') || ',' || coalesce('"' || ${unharmed(sql`note`)} || '"', '') || E'\\r\\n'`;

export const CSV_HEAD = 'completed_at,day,recorded_at,points,task_id,task,amount,note\r\n';

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

/** Reads those of the same tasks, by task and day. */
export async function* skipsAsJson(query: Query, { userId, lastTask }: Exported) {
  for (let task = 0, date = '-infinity'; ; ) {
    const { rows } = await sql<{ task: number; date: string; note: string | null }>`
      select task_id as task, to_char(day, 'YYYY-MM-DD') as date, note from skips
      where user_id = ${userId} and task_id <= ${lastTask} and (task_id, day) > (${task}, ${date}::date)
      order by task_id, day limit ${CHUNK}`.execute(query);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map((row) => JSON.stringify(row)).join(',');
    ({ task, date } = last);
  }
}

export const pauseTexts = (query: Query, { userId, lastTask }: Exported) =>
  textsOf(
    query,
    sql`
      select json_build_object('task', task_id, 'from', to_char(first_day, 'YYYY-MM-DD'),
        'until', to_char(last_day, 'YYYY-MM-DD'), 'note', note)::text as text
      from pauses where user_id = ${userId} and coalesce(task_id, 0) <= ${lastTask} order by first_day, task_id nulls first`,
  );

export const completionsAsJson = (query: Query, exported: Exported) => chunks(query, exported, asJson, ',');

export const completionsAsCsv = (query: Query, exported: Exported) =>
  chunks(query, exported, asCsv(exported.userId), '');
