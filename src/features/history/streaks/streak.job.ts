import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../../base/clock.js';
import { hasListener } from '../../../database/announcements/announcements.js';
import type { Columns } from '../../../database/columns.js';
import type { Database } from '../../../database/database.js';
import { isLocked } from '../../../database/violations.js';
import type { AccountTables } from '../../account/account.queries.js';
import { publish } from '../../account/progress.announcement.js';
import { type Day, dayOf } from '../../schedules/day.js';
import type { StreakRun } from './run.entity.js';
import { correctedBy, isWrongOn } from './streak.js';

type JobTables = AccountTables & { streak_runs: Columns<StreakRun> };

type JobRun = Pick<StreakRun, 'id' | 'day' | 'startedAt'>;

const JOB_LOCK = 7_783_542;

/** Rows per commit: few enough that no completion waits noticeably for a lock. */
const CHUNK = 500;

export interface JobReport {
  day: Day;
  corrected: number;
  /** True if another instance holds the lock, so that this one did nothing. */
  skipped: boolean;
}

/**
 * Corrects stored streaks. Only wrong rows are written, and the result depends on the row and the day alone: so it
 * does not matter when, how often or on how many instances the job runs, or where it is interrupted.
 */
export class StreakJob {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async run(now = this.clock.now()): Promise<JobReport> {
    const run = { id: randomUUID(), day: dayOf(now), startedAt: this.clock.now() };
    const corrected = await this.database.withLock<JobTables, number>(JOB_LOCK, async (query) => {
      const total = await correctAll(query, run);
      if (total > 0) await this.markEnd(query, run.id);
      return total;
    });
    return { day: run.day, corrected: corrected ?? 0, skipped: corrected === null };
  }

  private async markEnd(query: Kysely<JobTables>, id: string): Promise<void> {
    await query.updateTable('streak_runs').set({ ended_at: this.clock.now() }).where('id', '=', id).execute();
  }
}

async function correctAll(query: Kysely<JobTables>, run: JobRun): Promise<number> {
  try {
    return await correctWrong(query, run);
  } finally {
    await limitWaits(query).catch(() => {}); // if it fails, the connection is lost
  }
}

/** A row that somebody holds locked for long is waited for at the end, so that it holds up no others. */
async function correctWrong(query: Kysely<JobTables>, run: JobRun): Promise<number> {
  const isWrong = isWrongOn(run.day);
  let total = 0;
  const correctEach = async (rows: RawBuilder<unknown>[], lockedFor: number) => {
    const held: RawBuilder<unknown>[] = [];
    await limitWaits(query, lockedFor);
    for (const each of rows) {
      try {
        total += await correct(query, run, each);
      } catch (error) {
        if (!isLocked(error)) throw error;
        held.push(each);
      }
    }
    return held;
  };
  const ranges = await correctEach(await rangesOf(query, isWrong), LOCKED_FOR_MS);
  const rows: RawBuilder<unknown>[] = [];
  for (const range of ranges) rows.push(...(await rowsOf(query, isWrong, range)));
  await correctEach(await correctEach(rows, LOCKED_FOR_MS), 0);
  return total;
}

/**
 * Conditions for ranges of ids with as many wrong rows each. A row may be right by the time it is corrected. All rows
 * are looked at: an index of the wrong ones would change with the first completion of each user's day.
 */
async function rangesOf(
  query: Kysely<JobTables>,
  isWrong: RawBuilder<unknown>,
): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ first: string }>`
    select user_id as first from (
      select user_id, row_number() over (order by user_id) as number from user_progress where ${isWrong}
    ) wrong
    where number % ${CHUNK} = 1 order by user_id`.execute(query);
  return rows.map(({ first }, index) => {
    const next = rows[index + 1]?.first;
    return sql`user_id >= ${first}::uuid ${next ? sql`and user_id < ${next}::uuid` : sql``}`;
  });
}

/** Rows of a chunk are kept locked for so long because somebody else holds another one of it. */
const LOCKED_FOR_MS = 50;

/** For the session. 0 is for ever, and nothing is what the server has set. */
const limitWaits = (query: Kysely<JobTables>, milliseconds?: number) =>
  sql`select set_config('lock_timeout', ${milliseconds?.toString() ?? null}, false)`.execute(query);

async function rowsOf(
  query: Kysely<JobTables>,
  isWrong: RawBuilder<unknown>,
  range: RawBuilder<unknown>,
): Promise<RawBuilder<unknown>[]> {
  const { rows } = await sql<{ id: string }>`
    select user_id as id from user_progress where ${isWrong} and ${range}`.execute(query);
  return rows.map(({ id }) => sql`user_id = ${id}::uuid`);
}

/**
 * Corrects rows, tells of the changes and adds them to the audit, in one statement. The commit is asynchronous, unless
 * it has events, which somebody may have read: if the server crashes, the next run corrects the rows again.
 */
async function correct(
  query: Kysely<JobTables>,
  { id, day, startedAt }: JobRun,
  rows: RawBuilder<unknown>,
): Promise<number> {
  const userId = sql`corrected.user_id`;
  const done = await sql<{ corrected: number }>`
    with corrected as (
      update user_progress set ${correctedBy(day)} where ${isWrongOn(day)} and ${rows} returning user_id, has_feed
    ), audited as (
      insert into streak_runs as run (id, day, corrected, started_at)
      select ${id}::uuid, ${day}::date, count(*), ${startedAt}::timestamptz from corrected having count(*) > 0
      on conflict (id) do update set corrected = run.corrected + excluded.corrected
    ), published as (
      select count(${publish({ kind: 'STREAK_CORRECTED', userId, at: startedAt })}) as users, bool_or(has_feed) as has_events
      from corrected where has_feed or ${hasListener(userId)}
    ), counted as (
      select count(*)::int as corrected from corrected
    )
    select corrected, published.users, case when has_events then null else set_config('synchronous_commit', 'off', true) end
      as durability
    from counted, published`.execute(query);
  return done.rows[0]?.corrected ?? 0;
}
