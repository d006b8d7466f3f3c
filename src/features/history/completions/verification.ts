import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../database/database.js';
import { lockAccount } from '../../account/account.queries.js';
import { announceChange } from '../../account/progress.announcement.js';
import { dayOf } from '../../schedules/day.js';
import type { CompletionTables } from './completion-list.queries.js';
import { type Drift, differencesAmong, restoreCounters } from './recount.js';

/** Users per statement. */
const CHUNK = 1_000;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/**
 * Recounts everyone's counters and compares them with the stored ones. A streak that the next run of the job will
 * correct is not a drift: after midnight, stale streaks are normal.
 */
export class Verification {
  /** The number of stale streaks so far that the next run of the job will correct. */
  due = 0;

  constructor(
    private readonly database: Pick<Database, 'query' | 'transaction'>,
    private readonly clock: Clock,
  ) {}

  /** Yields every drift; with `fix`, each as it was before the repair. Tells how many users it has recounted. */
  async *run({ fix = false, onUsers = (_users: number) => {} } = {}): AsyncGenerator<Drift> {
    let counted = 0;
    const query = this.database.query<CompletionTables>();
    let users = await usersAfter(query, BEFORE_ALL);
    while (users.length > 0) {
      const chunk = { users, today: dayOf(this.clock.now()) };
      const { drifts, due } = await differencesAmong(query, chunk);
      const repaired = new Set(fix ? drifts.map(({ userId }) => userId) : []);
      for (const userId of repaired) await this.repair(userId);
      this.due += due.filter(({ userId }) => !repaired.has(userId)).length;
      yield* drifts;
      counted += users.length;
      onUsers(counted);
      const last = users.at(-1) as string;
      users = await usersAfter(query, last);
    }
  }

  private repair(userId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<CompletionTables>();
      if (!(await lockAccount(query, userId))) return; // an account that is gone needs no repair
      await restoreCounters(query, userId, dayOf(this.clock.now()));
      await announceChange(query, { kind: 'STREAK_CORRECTED', userId, at: this.clock.now() });
    });
  }
}

async function usersAfter(query: Kysely<CompletionTables>, last: string): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id as "userId" from user_progress where user_id > ${last} order by user_id limit ${CHUNK}
  `.execute(query);
  return rows.map(({ userId }) => userId);
}
