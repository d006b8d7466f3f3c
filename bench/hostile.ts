import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openDatabase, readConfig, systemClock, Tokens } from './built.ts';

/** The users that attack, and the user whose waiting times are measured. */
export interface People {
  /** Twenty tasks: what an ordinary user sees in an open app. */
  honest: Person;
  /** The maximum number of tasks, each with the longest text allowed. */
  wordy: Person;
  /** A million completions within a year. */
  busy: Person;
}

export interface Person {
  token: string;
  taskId: number;
}

export const HISTORY = 1_000_000;

const DAYS = 360;

/** Creates the users in a new database, and closes it again. */
export async function people(environment: Record<string, string>, secret: string): Promise<People> {
  const config = readConfig({ ...environment, JWT_SECRET: secret });
  const database = await openDatabase(config, { isForCommand: true, onEnd: (error) => console.error(error) });
  const tokens = new Tokens(secret, systemClock);

  const person = async (tasks: number, description: string): Promise<Person> => {
    const id = randomUUID();
    const query = database.query();
    await sql`
      with made as (
        insert into users (id, name, email, password_hash, created_at, updated_at)
        values (${id}::uuid, 'Ana', ${`${id}@example.com`}, '-', now(), now()) returning id
      )
      insert into user_progress (user_id) select id from made`.execute(query);
    const { rows } = await sql<{ id: number }>`
      insert into tasks (user_id, title, description, points, is_daily_routine, created_at, updated_at)
      select ${id}::uuid, 'Task ' || number, ${description}::text, 10, false, now(), now()
      from generate_series(1, ${tasks}::int) as number
      returning id`.execute(query);
    return { token: tokens.issue(id).token, taskId: rows[0]?.id ?? 0 };
  };

  /** Most of the completions are from today: the worst case for undoing one. */
  const live = async ({ taskId }: Person): Promise<void> => {
    const query = database.query();
    await sql`
      insert into task_completions (user_id, task_id, points, completed_at)
      select user_id, id, 10, now() - ${DAYS} * (number::float8 / ${HISTORY}) * interval '1 day'
      from tasks, generate_series(1, ${HISTORY}::int) as number where id = ${taskId}`.execute(query);
    await sql`
      update user_progress set points = ${HISTORY * 10}, current_streak = ${DAYS + 1}, max_streak = ${DAYS + 1},
        longest_run = ${DAYS + 1}, last_active_on = (now() at time zone 'UTC')::date,
        run_started_on = (now() at time zone 'UTC')::date - ${DAYS}::int
      where user_id = (select user_id from tasks where id = ${taskId})`.execute(query);
    await sql`update tasks set completion_count = ${HISTORY}, last_completed_at = now() where id = ${taskId}`.execute(
      query,
    );
    await sql`vacuum analyze`.execute(query);
  };

  const made = {
    honest: await person(20, 'Before breakfast'),
    wordy: await person(2_000, '\u{1f3ca}'.repeat(10_000)),
    busy: await person(20, 'All day long'),
  };
  await live(made.busy);
  await database.close();
  return made;
}
