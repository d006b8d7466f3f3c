import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { auditedAndAnnounced, type JobRun, type JobTables } from './correction.queries.js';
import { type Day, dayOf } from './day.js';
import { correctByRange } from './distributed-correction.js';
import { correctedBy, faultsOn, lastDay } from './streak.js';

const JOB_LOCK = 7_783_542;

/** Rows per commit: few enough that no completion waits noticeably for a lock. */
const CHUNK = 500;

/** The first round skips locked rows; the second one waits for them. */
const ROUNDS = [sql`for no key update skip locked`, sql`for no key update`];

const BEFORE_ALL = { day: '-infinity', userId: '00000000-0000-0000-0000-000000000000' };

/** How far the job has come with one kind of fault. */
type Cursor = typeof BEFORE_ALL;

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
      const total = await (this.database.isDistributed ? correctByRange : correctByRow)(query, run);
      if (total > 0) await this.markEnd(query, run.id);
      return total;
    });
    return { day: run.day, corrected: corrected ?? 0, skipped: corrected === null };
  }

  private async markEnd(query: Kysely<JobTables>, id: string): Promise<void> {
    await query.updateTable('streak_runs').set({ ended_at: this.clock.now() }).where('id', '=', id).execute();
  }
}

async function correctByRow(query: Kysely<JobTables>, run: JobRun): Promise<number> {
  let total = 0;
  for (const lock of ROUNDS) {
    for (const fault of faultsOn(run.day)) {
      let cursor: Cursor | undefined = BEFORE_ALL;
      while (cursor) {
        const chunk: Chunk | undefined = await correctChunk(query, run, { fault, cursor, lock });
        total += chunk?.corrected ?? 0;
        cursor = chunk;
      }
    }
  }
  return total;
}

type Chunk = Cursor & { corrected: number };

/**
 * Corrects the next rows, announces the changes and adds them to the audit, in one statement. Undefined when no row
 * is left. Rows are updated by key: for a join, the planner may read the whole table each time. The commit is
 * asynchronous: if the server crashes, the next run corrects the rows again.
 */
async function correctChunk(
  query: Kysely<JobTables>,
  run: JobRun,
  { fault, cursor, lock }: { fault: RawBuilder<unknown>; cursor: Cursor; lock: RawBuilder<unknown> },
): Promise<Chunk | undefined> {
  const { rows } = await sql<Chunk>`
    with chunk as (
      select user_id, ${lastDay} as day from user_progress
      where ${fault} and (${lastDay}, user_id) > (${cursor.day}::date, ${cursor.userId}::uuid)
      order by ${lastDay}, user_id
      limit ${CHUNK}
      ${lock}
    ), corrected as (
      update user_progress set ${correctedBy(run.day)}
      where user_id = any(array(select user_id from chunk)) returning user_id
    ), ${auditedAndAnnounced(run)}
    select day, user_id as "userId", corrected, announced.users,
      set_config('synchronous_commit', 'off', true) as durability
    from chunk, counted, announced order by day desc, user_id desc limit 1
  `.execute(query);
  return rows[0];
}
