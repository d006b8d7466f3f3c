import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
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

const DONE = /^Streaks as of \d{4}-\d\d-\d\d: (\d+ corrected|another instance is at it, nothing done)\.\n$/;

const agrees = [0, 'Every counter agrees with its history.\n'];

const ended = async (process: ReturnType<typeof run>) => [await process.exited, process.output];

const server = withServer();

describe('Two processes on one PostgreSQL server', () => {
  async function town() {
    const DATABASE_URL = await server.newDatabase();
    const environment = { DATABASE_URL, DATA_DIR: temporaryFolder(), JWT_SECRET: SECRET };
    const command = (script: string) => run(`operation/commands/${script}.js`, environment);
    expect((await ended(command('migrate')))[0]).toBe(0);
    const client = await connect(DATABASE_URL);
    const rows = async (statement: string) => (await client.query(statement)).rows;
    const tokens = new Tokens(SECRET, systemClock);
    const serve = async () => {
      const rest = await startService(environment).listening();
      const completes = async (number: number) => {
        const person = rest.as(tokens.issue(personId(number)).token);
        return (await person.post('/api/task-completions', { task_id: number })).status;
      };
      return { completes };
    };
    /** A run of the job that has corrected everyone but one, for whose row it waits until that is let go. */
    const waitingRun = async () => {
      const holder = await connect(DATABASE_URL);
      await holder.query('begin');
      await holder.query(`select from user_progress where user_id = '${personId(7)}' for update`);
      const process = command('streaks-reset');
      await eventually(async () => (await rows(audit))[0]?.corrected === PEOPLE - 1);
      await eventually(async () => (await rows(waiting)).length > 0);
      return { process, letGo: () => holder.query('commit') };
    };
    return { rows, serve, command, waitingRun };
  }

  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const audit = 'select corrected, ended_at is not null as is_whole from streak_runs order by started_at';

  it('reset streaks at once while tasks are completed: every row is right and corrected once', async () => {
    const { rows, serve, command } = await town();
    const { completes } = await serve();
    await rows(brokenRuns); // a service that starts runs the job: only after that
    const commands = ['streaks-reset', 'streaks-reset', 'streaks-verify'].map(command);
    let areDone = false;
    const done = Promise.all(commands.map(ended)).finally(() => {
      areDone = true;
    });
    const completed: number[] = [];
    const writers = [1, 2, 3, 4, 5, 6].map(async (writer) => {
      for (let number = writer; number <= PEOPLE - 500 && !areDone; number += 6) {
        expect(await completes(number)).toBe(201);
        completed.push(number);
      }
    });
    await Promise.all(writers);
    const reset = [0, expect.stringMatching(DONE)];
    const verified = [0, expect.stringMatching(/counter agrees with its history\.\n$/)]; // some may be due
    expect(await done).toEqual([reset, reset, verified]);

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
    expect(await rows('select sum(corrected)::int as total from streak_runs')).toEqual([{ total: PEOPLE }]);
    expect(await ended(command('streaks-verify'))).toEqual(agrees);
  });

  it('take turns at the streak job: who finds the other at it says so and exits 0, and no completion waits', async () => {
    const { rows, serve, command, waitingRun } = await town();
    await rows(brokenRuns);
    const { process: first, letGo } = await waitingRun();
    expect(await ended(command('streaks-reset'))).toEqual([
      0,
      expect.stringContaining(': another instance is at it, nothing done.\n'),
    ]);
    const { completes } = await serve();
    for (const number of [1, 6, 8, 1_001, PEOPLE]) expect(await completes(number)).toBe(201);
    await letGo();

    expect(await ended(first)).toEqual([0, expect.stringContaining(`: ${PEOPLE} corrected.\n`)]);
    expect(await rows(audit)).toEqual([{ corrected: PEOPLE, is_whole: true }]);
    expect(await ended(command('streaks-reset'))).toEqual([0, expect.stringContaining(': 0 corrected.\n')]);
    expect(await rows(audit)).toHaveLength(1);
    expect(await ended(command('streaks-verify'))).toEqual(agrees);
  });
});

it('Several processes at once bring an empty database up to date', async () => {
  const DATABASE_URL = await server.newDatabase('template template0');
  const processes = [1, 2, 3].map(() => startService({ DATABASE_URL, DATA_DIR: temporaryFolder() }));
  for (const process of processes) {
    expect((await (await process.listening()).get('/health/ready')).status).toBe(200);
  }
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
