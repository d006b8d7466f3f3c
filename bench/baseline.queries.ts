import pg from 'pg';

// Named statements: PostgreSQL plans each once per connection. Values come as text and go into JSON as text;
// only numerics pass through a number, because 5.0 is 5 in JSON.

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  options: '-c timezone=UTC',
  types: { getTypeParser: () => (value: unknown) => value },
});

pool.on('error', () => {}); // of an idle connection: the next statement tells

type Row = (string | null)[];

const statement = (name: string, text: string) => async (values: unknown[]) => {
  const { rows } = await pool.query({ name, text, values, rowMode: 'array' });
  return rows as Row[];
};

/** `2026-11-21 08:41:52.9+00` → `2026-11-21T08:41:52.900Z`. PostgreSQL leaves final zeros out. */
const instant = (text: string | null | undefined) =>
  text ? `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, '0')}Z` : '';

const select = {
  tasks: statement(
    'tasks',
    `select id, challenge_template_id, title, description, points, is_daily_routine, completion_count,
       created_at, updated_at
     from tasks where user_id = $1 order by created_at, id limit $2`,
  ),
  profile: statement(
    'profile',
    `select name, email, profile_picture, points, current_streak, max_streak, created_at, updated_at
     from users join user_progress on user_id = id where id = $1`,
  ),
  nested: statement(
    'nested',
    `select users.name, user_progress.points, user_progress.current_streak,
       challenge.id, challenge.status, challenge.start_date, template.id, template.title, template.duration_days
     from users join user_progress on user_progress.user_id = users.id
     left join user_challenges challenge on challenge.user_id = users.id and challenge.status = 'ACTIVE'
     left join challenge_templates template on template.id = challenge.template_id
     where users.id = $1`,
  ),
};

/** The same writes as `counting` for a user of UTC days, and the same look at who listens; without its deadline. */
const count = statement(
  'complete',
  `with task as (
     select points from tasks where id = $2 and user_id = $1
   ), progress as (
     update user_progress set
       points = user_progress.points + task.points,
       current_streak = current_streak + (case when last_active_on = $4::date then 0 else 1 end),
       max_streak = greatest(max_streak, current_streak + (case when last_active_on = $4::date then 0 else 1 end)),
       last_active_on = $4::date,
       run_started_on = (case when last_active_on >= $4::date - 1 then run_started_on else $4::date end),
       longest_run = greatest(longest_run,
         $4::date - (case when last_active_on >= $4::date - 1 then run_started_on else $4::date end) + 1)
     from task
     where user_progress.user_id = $1 and (last_active_on is null or last_active_on <= $4::date)
     returning task.points, user_progress.points as total, current_streak
   ), counted as (
     update tasks set
       completion_count = completion_count + 1,
       last_completed_at = greatest(last_completed_at, $3::timestamptz),
       last_day = $4::date,
       run_started_on = (case when tasks.last_day >= $4::date - 1 then tasks.run_started_on else $4::date end),
       run_count = (case when tasks.last_day >= $4::date - 1 then tasks.run_count + ($4::date - tasks.last_day) else 1 end),
       longest_run = greatest(tasks.longest_run,
         (case when tasks.last_day >= $4::date - 1 then tasks.run_count + ($4::date - tasks.last_day) else 1 end))
     from progress
     where tasks.id = $2 and tasks.user_id = $1
     returning tasks.id, tasks.user_id, completion_count
   ), completion as (
     insert into task_completions (user_id, task_id, points, completed_at, idempotency_key, day, recorded_at)
     select $1::uuid, $2::bigint, points, $3::timestamptz, $5::text, $4::date, $3::timestamptz
     from progress
     returning id, points
   )
   select completion.id, completion.points, completion_count, progress.total, current_streak, (
     select pg_notify('steady', json_build_object('topic', 'progress', 'userId', counted.user_id, 'event',
       json_build_object('cause', 'COMPLETED', 'taskId', counted.id, 'completionId', completion.id))::text)
     where exists (select from listeners where listeners.user_id = counted.user_id and until > now())
   )
   from progress, counted, completion`,
);

export interface Task {
  id: string | null | undefined;
  templateId: string | null | undefined;
  title: string | null | undefined;
  description: string | null;
  points: number;
  isDaily: boolean;
  count: string | null | undefined;
  createdAt: string;
  updatedAt: string;
}

export async function tasksOf(userId: string, limit: number): Promise<Task[]> {
  const rows = await select.tasks([userId, limit]);
  return rows.map(
    ([id, templateId, title, description = null, points, isDaily, number, created, updated]) => ({
      id,
      templateId,
      title,
      description,
      points: Number(points),
      isDaily: isDaily === 't',
      count: number,
      createdAt: instant(created),
      updatedAt: instant(updated),
    }),
  );
}

export async function profileOf(userId: string) {
  const [name, email, picture = null, points, streak, maxStreak, created, updated] =
    (await select.profile([userId]))[0] ?? [];
  const times = { createdAt: instant(created), updatedAt: instant(updated) };
  return { name, email, picture, points: Number(points), streak, maxStreak, ...times };
}

export async function nestedOf(userId: string) {
  const [name, points, streak, challengeId, status, start, templateId, title, days] =
    (await select.nested([userId]))[0] ?? [];
  const challenge = { challengeId, status, startDate: instant(start), templateId, title, days };
  return { name, points: Number(points), streak, ...challenge };
}

/** In one statement; null when the user has no such task. */
export async function complete(userId: string, taskId: number) {
  const at = new Date().toISOString();
  const [row] = await count([userId, taskId, at, at.slice(0, 10), null]);
  if (!row) return null;
  const [id, earned, number, points, streak] = row;
  return { id, taskId, at, earned: Number(earned), count: number, points: Number(points), streak };
}
