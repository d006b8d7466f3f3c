import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { auditedAndAnnounced, type JobRun, type JobTables } from './correction.queries.js';
import { type Day, dayOf } from './day.js';
import { correctedBy, faultsOn, lastDay } from './streak.js';

const JOB_LOCK = 7_783_542;

/** Rows per commit: few enough that no completion waits noticeably for a lock. */
const CHUNK = 500;

/** Before the rows that never were active. */
const FIRST = { day: '-infinity', userId: '00000000-0000-0000-0000-000000000000' };

/** A row that is wrong. The last one of a chunk says how far the job has come with one kind of fault. */
type Wrong = typeof FIRST;

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
  let total = 0;
  await limitWaits(query, LOCKED_FOR);
  try {
    for (const fault of faultsOn(run.day)) {
      let chunk = await chunkAfter(query, fault, FIRST);
      for (let last = chunk.at(-1); last; last = chunk.at(-1)) {
        total += await correctEach(query, run, fault, chunk);
        chunk = await chunkAfter(query, fault, last);
      }
    }
  } finally {
    await limitWaits(query).catch(() => {}); // if it fails, the connection is lost
  }
  return total;
}

/** Locks nothing: a row may be right by the time it is corrected. */
async function chunkAfter(query: Kysely<JobTables>, fault: RawBuilder<unknown>, { day, userId }: Wrong) {
  const { rows } = await sql<Wrong>`
    select ${lastDay}::text as day, user_id as "userId" from user_progress
    where ${fault} and (${lastDay}, user_id) > (${day}::date, ${userId}::uuid)
    order by ${lastDay}, user_id
    limit ${CHUNK}`.execute(query);
  return rows;
}

/** In milliseconds: how long the rows of a chunk stay locked because somebody else holds one of them. */
const LOCKED_FOR = 50;

/** For the session. 0 is for ever, and nothing is what the server has set. */
const limitWaits = (query: Kysely<JobTables>, milliseconds?: number) =>
  sql`select set_config('lock_timeout', ${milliseconds?.toString() ?? null}, false)`.execute(query);

/** Where a row is held for longer, each is waited for by itself, so that it holds up no others. */
async function correctEach(
  query: Kysely<JobTables>,
  run: JobRun,
  fault: RawBuilder<unknown>,
  chunk: readonly Wrong[],
): Promise<number> {
  const ids = chunk.map(({ userId }) => userId);
  try {
    return await correct(query, run, fault, ids);
  } catch (error) {
    if (!isLocked(error)) throw error;
  }
  let corrected = 0;
  await limitWaits(query, 0);
  for (const id of ids) corrected += await correct(query, run, fault, [id]);
  await limitWaits(query, LOCKED_FOR);
  return corrected;
}

const isLocked = (error: unknown) => (error as { code?: unknown }).code === '55P03';

/**
 * Corrects rows, announces the changes and adds them to the audit, in one statement. Rows are updated by key: the case
 * keeps the planner from reading the index of all rows that are wrong each time. The commit is asynchronous: if the
 * server crashes, the next run corrects the rows again.
 */
async function correct(
  query: Kysely<JobTables>,
  run: JobRun,
  fault: RawBuilder<unknown>,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ corrected: number }>`
    with corrected as (
      update user_progress set ${correctedBy(run.day)}
      where (${fault}) and user_id = any(${ids}::uuid[]) returning user_id
    ), ${auditedAndAnnounced(run)}
    select corrected, announced.users, set_config('synchronous_commit', 'off', true) as durability
    from counted, announced`.execute(query);
  return rows[0]?.corrected ?? 0;
}
