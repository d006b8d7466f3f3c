import { sql } from 'kysely';
import { holdAccount } from '../accounts/account.queries.js';
import { announceProgress } from '../accounts/progress.announcement.js';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { dayOf } from '../streaks/streak.js';
import { type Drift, differencesAmong, restoreCounters } from './recount.js';
import type { TaskTables } from './task.queries.js';

/** Users looked at in one statement. */
const CHUNK = 1_000;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Replays everyone's history and compares it with what is stored. What the next run of the job corrects
 * is no drift: of a streak that nobody has looked at since midnight nothing else is to be expected.
 */
export class Verification {
  /** Streaks seen so far that are left to the next run of the job. */
  due = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Every difference found; with `fix`, each as it was before it was repaired. */
  async *run({ fix = false } = {}): AsyncGenerator<Drift> {
    let after: string | undefined = BEFORE_ALL;
    while (after !== undefined) {
      const upTo: string | undefined = await this.endOfChunk(after);
      if (upTo !== undefined) {
        const range = { after, upTo, today: dayOf(this.clock.now()) };
        const { drifts, due } = await differencesAmong(this.database.query(), range);
        const repaired = new Set(fix ? drifts.map(({ userId }) => userId) : []);
        for (const userId of repaired) await this.repair(userId);
        this.due += due.filter(({ userId }) => !repaired.has(userId)).length;
        yield* drifts;
      }
      after = upTo;
    }
  }

  private async endOfChunk(after: string): Promise<string | undefined> {
    const { rows } = await sql<{ userId: string }>`
      select user_id as "userId" from (
        select user_id from user_progress where user_id > ${after} order by user_id limit ${CHUNK}
      ) chunk order by user_id desc limit 1
    `.execute(this.database.query<TaskTables>());
    return rows[0]?.userId;
  }

  private repair(userId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      if (!(await holdAccount(query, userId))) return; // who is gone has nothing to repair
      await restoreCounters(query, userId, dayOf(this.clock.now()));
      await sql`select ${announceProgress('CORRECTED', sql`${userId}::uuid`)}`.execute(query);
    });
  }
}
