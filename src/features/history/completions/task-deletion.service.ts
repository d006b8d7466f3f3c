import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../database/database.js';
import type { AccountService } from '../../account/account.service.js';
import { deleteLongHistory } from '../../account/deletion.js';
import { announceChange } from '../../account/progress.announcement.js';
import type { TaskService } from '../../habits/task.service.js';
import { dayOf } from '../../schedules/day.js';
import { recountUser } from '../../schedules/recount-runs.js';
import { correctStreak } from '../streaks/streak.js';
import type { CompletionTables } from './completion-list.queries.js';

export class TaskDeletionService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
    /** In milliseconds: how long the statements of a deletion may take together, since a history may be long. */
    private readonly time: number,
  ) {}

  /**
   * Deletes a task with its history: points, counts and streaks are as if it had never been. All in one transaction;
   * what completes or undoes meanwhile waits for the counters, and then finds no task.
   */
  async delete(userId: string, id: number): Promise<void> {
    this.database.allowTime(this.time);
    const isDeleted = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<CompletionTables>();
      await this.accounts.lock(query, userId);
      return this.deleteIn(query, { userId, id });
    });
    if (!isDeleted) return this.tasks.refuse(id);
  }

  private async deleteIn(
    query: Kysely<CompletionTables>,
    { userId, id }: { userId: string; id: number },
  ): Promise<boolean> {
    const task = query.selectFrom('tasks').where('id', '=', id).where('user_id', '=', userId);
    if (!(await task.select('id').forUpdate().executeTakeFirst())) return false;
    await sql`
      update user_progress set points = greatest(points - (
        select coalesce(sum(points), 0) from task_completions where user_id = ${userId} and task_id = ${id}
      ), 0)
      where user_id = ${userId}`.execute(query);
    await deleteLongHistory(query, { userId, taskId: id });
    await query.deleteFrom('tasks').where('id', '=', id).where('user_id', '=', userId).execute();
    await recountUser(query, userId);
    const now = this.clock.now();
    await correctStreak(query, userId, dayOf(now));
    await announceChange(query, { kind: 'TASK_DELETED', userId, at: now, ids: { taskId: id } });
    return true;
  }
}
