import type { Clock } from '../clock.js';
import { COUNTED } from '../completions/completion-day.js';
import type { Database } from '../database/database.js';
import { streakOn, type TrueStreak } from '../streaks/streak.js';
import { type DoneToday, taskRuns, tasksToday } from './task-days.queries.js';

/** What the user's days were for each task by itself: one statement for any number of tasks. */
export class TaskDaysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** By the ids of the tasks. */
  async streaksOf(userId: string, ids: number[]): Promise<Map<number, TrueStreak>> {
    const rows = await this.database.run(taskRuns, { userId, ids, now: this.clock.now() });
    return new Map(
      rows.map(({ id, today, end, ...run }) => [id, streakOn(today, run, () => end ?? undefined)]),
    );
  }

  /** By the ids of the tasks. */
  async todayOf(userId: string, ids: number[]): Promise<Map<number, DoneToday>> {
    const rows = await this.database.run(tasksToday, { userId, ids, now: this.clock.now() });
    this.database.noteRead(rows.reduce((sum, { completions }) => sum + completions, 0) * COUNTED);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
