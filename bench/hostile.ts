import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { openDatabase, readConfig, systemClock, Tokens } from './built.ts';

/** Whom the attacks are made with, and whom they are measured by. */
export interface People {
  /** Twenty tasks: what somebody with the app open sees. */
  honest: Person;
  /** As many tasks as a user may have, of the longest text. */
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

/** Makes them in a new database, which is then closed again. */
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

  /** Most of it today, so that undoing has the longest way to go back in one day. */
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
