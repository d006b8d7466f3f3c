import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { eventually } from '../support/eventually.js';
import { run, startService, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';
import { SECRET } from '../support/world.js';

/** Several chunks of the job. */
const PEOPLE = 3_500;

/** Completions ten, eight and six days ago: a counter of 3 that no run of days bears out. */
const brokenRuns = `
  with numbers as (
    select i, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid as id
    from generate_series(1, ${PEOPLE}) i
  ), days as (
    select (now() at time zone 'UTC')::date - back as day from unnest(array[10, 8, 6]) back
  ), people as (
    insert into users (id, name, email, password_hash, created_at, updated_at)
    select id, 'Ana', i || '@example.com', '', now(), now() from numbers
  ), progress as (
    insert into user_progress (user_id, points, current_streak, max_streak, last_active_on, run_started_on, longest_run)
    select id, 30, 3, 3, (select max(day) from days), (select max(day) from days), 1 from numbers
  ), habits as (
    insert into tasks (id, user_id, title, points, is_daily_routine, completion_count, last_completed_at, last_day,
      run_started_on, run_count, longest_run, created_at, updated_at)
    select i, id, 'Swim', 10, false, 3, (select max(day) from days)::timestamp at time zone 'UTC',
      (select max(day) from days), (select max(day) from days), 1, 1, now(), now()
    from numbers
  )
  insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, (completed_at at time zone 'UTC')::date, completed_at from (
        select id, i, 10, day::timestamp at time zone 'UTC' from numbers, days
      ) made (user_id, task_id, points, completed_at)`;

const personId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const HELD = 7;

const server = withServer();

const ended = async (process: ReturnType<typeof run>) => [await process.exited, process.output];

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it('One process resets streaks while tasks are completed on another: a third says so, none waits, and every row is right', async () => {
  const DATABASE_URL = await server.newDatabase();
  const environment = { DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET };
  const command = (script: string) => run(`operation/commands/${script}.js`, environment);
  const rest = await startService(environment).listening();
  const [client, holder] = [await connect(DATABASE_URL), await connect(DATABASE_URL)];
  const rows = async (statement: string) => (await client.query(statement)).rows;
  await rows(brokenRuns); // a service that starts runs the job: only after that
  await holder.query(`begin; select from user_progress where user_id = '${personId(HELD)}' for update`);
  const first = command('streaks-reset');

  const tokens = new Tokens(SECRET, systemClock);
  const completed: number[] = [];
  let isOver = false;
  const writers = [1, 2, 3, 4, 5, 6].map(async (writer) => {
    for (let number = writer; number <= PEOPLE && !isOver; number += 6) {
      if (number === HELD) continue;
      const person = rest.as(tokens.issue(personId(number)).token);
      expect((await person.post('/api/task-completions', { task_id: number })).status).toBe(201);
      completed.push(number);
    }
  });
  const corrected = 'select corrected, ended_at is not null as is_whole from streak_runs';
  await eventually(async () => (await rows(corrected))[0]?.corrected === PEOPLE - 1); // and waits for the last one
  const atIt = expect.stringContaining(': another instance is at it, nothing done.\n');
  expect(await ended(command('streaks-reset'))).toEqual([0, atIt]);
  isOver = true;
  await Promise.all(writers);
  await holder.query('commit');
  expect(await ended(first)).toEqual([0, expect.stringContaining(`: ${PEOPLE} corrected.\n`)]);
  expect(await ended(command('streaks-reset'))).toEqual([0, expect.stringContaining(': 0 corrected.\n')]);
  expect(await rows(corrected)).toEqual([{ corrected: PEOPLE, is_whole: true }]);

  const active = `user_id in ('${completed.map(personId).join("', '")}')`;
  const counters = (condition: string) =>
    rows(`select current_streak, max_streak, longest_run, points::int, count(*)::int from user_progress
      where ${condition} group by 1, 2, 3, 4`);
  expect(await counters(active)).toEqual([
    { current_streak: 1, max_streak: 1, longest_run: 1, points: 40, count: completed.length },
  ]);
  expect(await counters(`not (${active})`)).toEqual([
    { current_streak: 0, max_streak: 1, longest_run: 1, points: 30, count: PEOPLE - completed.length },
  ]);
  expect(await ended(command('streaks-verify'))).toEqual([0, 'Every counter agrees with its history.\n']);
});
