import { sql } from 'kysely';
import { lockAccount, whereEmail } from '../../accounts/account.queries.js';
import { noAccount } from '../../accounts/account.refusals.js';
import { announceProgress } from '../../accounts/progress.announcement.js';
import type { Clock } from '../../clock.js';
import { restoreCounters } from '../../completions/recount.js';
import type { Database } from '../../database/database.js';
import { type Day, dayOf } from '../../streaks/day.js';
import type { TaskTables } from '../../tasks/task.queries.js';
import { tooManyTasks } from '../../tasks/task.refusals.js';
import { limits } from '../../validation.js';
import { insertTasks } from '../import.queries.js';
import type { Habit, LoopExport } from './habits.js';
import type { Left } from './left.js';
import { daysOf, recordDays, tasksByKey, titlesOf } from './loop.queries.js';

type Query = Parameters<typeof titlesOf>[0];

/** What an import has done, or would do. */
export interface LoopReport {
  habits: number;
  days: number;
  first: Day | undefined;
  last: Day | undefined;
  tasksMade: number;
  tasksPutAway: number;
  recorded: number;
  zone: string;
  left: Left;
}

/** Undoes what was tried. */
class Tried extends Error {
  constructor(readonly report: LoopReport) {
    super('Tried only');
  }
}

/** Brings what Loop Habit Tracker has exported into an account, beside what is there. */
export class LoopService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * All of it or nothing, in one transaction, under the lock of the account. What was imported before is found again.
   * A trial does all of it too, and then nothing.
   */
  async run(email: string, given: LoopExport, { isTrial }: { isTrial: boolean }): Promise<LoopReport> {
    const found = await this.database
      .query<TaskTables>()
      .selectFrom('users')
      .select('id')
      .where(whereEmail(email))
      .executeTakeFirst();
    if (!found) throw noAccount(email);
    return this.database
      .transaction(async (tx) => {
        const query = tx.getKysely<TaskTables>();
        if (!(await lockAccount(query, found.id))) throw noAccount(email);
        const report = await this.bringIn(query, found.id, given);
        if (isTrial) throw new Tried(report);
        return report;
      })
      .catch((error: unknown) => {
        if (error instanceof Tried) return error.report;
        throw error;
      });
  }

  private async bringIn(query: Query, userId: string, { habits, left }: LoopExport): Promise<LoopReport> {
    const now = this.clock.now();
    const { zone, today } = await daysOf(query, userId, now);
    const lived = habits.map((habit) => ({
      ...habit,
      days: habit.days.filter((day) => day <= today).sort(),
    }));
    const tooNew = count(habits) - count(lived);
    const ids = await tasksOf(query, userId, lived, now);
    const days = lived.flatMap(({ key, days }) =>
      days.map((day) => ({ task: ids.all.get(key) ?? 0, day, key: keyOf(key, day) })),
    );
    const recorded = await recordDays(query, userId, days, { zone, now });
    if (recorded > 0 || ids.made.length > 0) {
      await restoreCounters(query, userId, dayOf(now));
      await sql`select ${announceProgress('CORRECTED', sql`${userId}::uuid`)}`.execute(query);
    }
    const sorted = days.map(({ day }) => day).sort();
    return {
      habits: habits.length,
      days: days.length,
      first: sorted[0],
      last: sorted.at(-1),
      tasksMade: ids.made.length,
      tasksPutAway: ids.made.filter(({ isArchived }) => isArchived).length,
      recorded,
      zone,
      left: { ...left, tooNew },
    };
  }
}

const count = (habits: readonly Habit[]) => habits.reduce((sum, { days }) => sum + days.length, 0);

/** The idempotency key of a completion. Clients choose theirs at random. */
const keyOf = (habit: string, day: Day) => `loop:${habit}:${day}`;

/**
 * The task of each habit, by its key: the one that it became before, else one of the same title that no other habit has,
 * else a new one, in the order of the habits.
 */
async function tasksOf(query: Query, userId: string, habits: readonly Habit[], now: Date) {
  const there = await titlesOf(query, userId);
  const days = habits.flatMap(({ key: habit, days }) =>
    days.map((day) => ({ habit, day, key: keyOf(habit, day) })),
  );
  const all = there.length > 0 ? await tasksByKey(query, userId, days) : new Map<string, number>();
  const taken = new Set(all.values());
  const made: Habit[] = [];
  for (const habit of habits) {
    if (all.has(habit.key)) continue;
    const same = there.find(({ id, title }) => title === habit.task.title && !taken.has(id));
    if (!same) made.push(habit);
    else {
      all.set(habit.key, same.id);
      taken.add(same.id);
    }
  }
  if (there.length + made.length > limits.tasks) throw tooManyTasks();
  for (const [key, id] of await makeTasks(query, userId, made, now)) all.set(key, id);
  return { all, made };
}

async function makeTasks(query: Query, userId: string, habits: readonly Habit[], now: Date) {
  const at = now.toISOString();
  const given = habits.map(({ task, isArchived }, index) => ({
    ...task,
    id: index + 1,
    createdAt: at,
    updatedAt: at,
    archivedAt: isArchived ? at : null,
  }));
  const ids = given.length > 0 ? await insertTasks(query, userId, given) : new Map<number, number>();
  return habits.map(({ key }, index) => [key, ids.get(index + 1) ?? 0] as const);
}
