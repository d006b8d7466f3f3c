import type { Clock } from '../clock.js';
import { COUNTED } from '../completions/completion-day.js';
import type { Database } from '../database/database.js';
import { type DayState, stateOf } from '../schedules/judged-days.js';
import { Lens } from '../schedules/lens.js';
import { restsOf } from '../schedules/rests.queries.js';
import { scheduleOf } from '../schedules/schedule.js';
import { plannedStreakOn, streakOn, type TrueStreak } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { type DoneToday, type PlannedTask, plannedTasks, taskRuns, tasksToday } from './task-days.queries.js';

/** What today is for a task that its run does not say it for. */
interface Planned extends PlannedTask {
  lens: Lens;
  isKept: boolean;
  isDue: boolean;
}

export interface Today extends DoneToday {
  state: DayState;
  isDue: boolean;
}

/** What the user's days were for each task by itself: a few statements for any number of tasks. */
export class TaskDaysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly days: UserDaysService,
  ) {}

  /** By the ids of the tasks. */
  async streaksOf(userId: string, ids: number[]): Promise<Map<number, TrueStreak>> {
    const rows = await this.database.run(taskRuns, { userId, ids, now: this.clock.now() });
    const planned = await this.planned(
      userId,
      rows.flatMap(({ id, count }) => (count === null ? [] : id)),
    );
    const ends = await this.days.withEnds(
      userId,
      planned.map(({ lens, ...task }) => plannedStreakOn(task, lens, task)),
    );
    const streaks = new Map<number, TrueStreak>();
    for (const { id, today, end, ...run } of rows)
      streaks.set(
        id,
        streakOn(today, run, () => end ?? undefined),
      );
    planned.forEach(({ id }, index) => void streaks.set(id, ends[index] as TrueStreak));
    return streaks;
  }

  /** By the ids of the tasks. */
  async todayOf(userId: string, ids: number[]): Promise<Map<number, Today>> {
    const rows = await this.database.run(tasksToday, { userId, ids, now: this.clock.now() });
    this.database.noteRead(rows.reduce((sum, { completions }) => sum + completions, 0) * COUNTED);
    const planned = await this.planned(
      userId,
      rows.flatMap(({ id, isPlanned }) => (isPlanned ? id : [])),
    );
    const plans = new Map(planned.map((plan) => [plan.id, plan]));
    return new Map(
      rows.map((row) => {
        const plan = plans.get(row.id);
        return [
          row.id,
          plan ? { ...row, isDue: plan.isDue, state: plannedState(plan, row) } : ofEveryDay(row),
        ];
      }),
    );
  }

  /** Those of the tasks that ask for something today. */
  async dueOf(userId: string, ids: number[]): Promise<Set<number>> {
    const rows = await this.database.run(taskRuns, { userId, ids, now: this.clock.now() });
    const planned = await this.planned(
      userId,
      rows.flatMap(({ id, count }) => (count === null ? [] : id)),
    );
    const ofEveryDay = rows.filter(
      ({ count, lastDay, today }) => count === null && (lastDay === null || lastDay < today),
    );
    const others = planned.filter(
      ({ isDue, isKept, lens, today }) => isDue && !isKept && !lens.neutral.has(today),
    );
    return new Set([...ofEveryDay, ...others].map(({ id }) => id));
  }

  private async planned(userId: string, ids: number[]): Promise<Planned[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.run(plannedTasks, { userId, ids, now: this.clock.now() });
    const rests = await restsOf(this.database.query(), userId, ids);
    return rows.map((row) => {
      const { id, today, lastDay, keptDays, lastKeptBefore: lastKept } = row;
      const lens = new Lens(scheduleOf(row), rests.of(id), row.weekStartsOn ?? 'MONDAY');
      const { first } = lens.unitAround(today);
      const keptInPeriod = keptDays.filter((day) => first <= day && day < today).length;
      const isKept = row.times === null ? lastDay !== null && lastDay >= today : keptDays.includes(today);
      return { ...row, lens, isKept, isDue: lens.isDueOn(today, { lastKept, keptInPeriod }) };
    });
  }
}

function ofEveryDay(row: DoneToday): Today {
  return { ...row, isDue: true, state: row.completions > 0 ? 'KEPT' : 'DUE' };
}

function plannedState({ today, lens, isKept, isDue }: Planned, { completions }: DoneToday): DayState {
  const rest = lens.neutral.kindOf(today);
  const day = { day: today, isKept, isDue, rest, done: { completions } };
  return stateOf(day, { today, madeOn: today, isByPeriod: lens.schedule.kind === 'times' });
}
