import type { Clock } from '../clock.js';
import { COUNTED_BYTES } from '../completions/completion-list.queries.js';
import type { Database } from '../database/database.js';
import { eachInTurn } from '../queues/long-turns.js';
import { type DayState, stateOf } from '../schedules/judged-days.js';
import { Lens } from '../schedules/lens.js';
import { Rests } from '../schedules/rests.queries.js';
import { scheduleOf } from '../schedules/schedule.js';
import { plannedStreakOn, streakOn, type TrueStreak } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import {
  type DoneToday,
  type PlannedTask,
  plannedTasks,
  type TaskRun,
  taskRuns,
  tasksToday,
} from './task-days.queries.js';

/** What today is for a task that its run does not say it for. */
interface Planned extends PlannedTask {
  lens: Lens;
  isKept: boolean;
  /** In the period of today, before today. */
  keptInPeriod: number;
  isDue: boolean;
}

export interface Today extends DoneToday {
  state: DayState;
  isDue: boolean;
  /** Due, and neither kept nor skipped nor paused. */
  isOpen: boolean;
}

/** What the user's days were for each task by itself: a few statements for any number of tasks. */
export class TaskDaysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly days: UserDaysService,
  ) {}

  /** The streaks of some tasks, and what today is for some, by their ids: read together, since lists show both. */
  async of(
    userId: string,
    { streaks, todays }: { streaks: number[]; todays: number[] },
  ): Promise<{ streaks: Map<number, TrueStreak>; todays: Map<number, Today> }> {
    const now = this.clock.now();
    const [runs, done] = await Promise.all([
      streaks.length > 0 ? this.database.run(taskRuns, { userId, ids: streaks, now }) : [],
      todays.length > 0 ? this.database.run(tasksToday, { userId, ids: todays, now }) : [],
    ]);
    this.database.noteRead(done.reduce((sum, { completions }) => sum + completions, 0) * COUNTED_BYTES);
    const withPlan = [
      ...runs.flatMap(({ id, count }) => (count === null ? [] : id)),
      ...done.flatMap(({ id, isPlanned }) => (isPlanned ? id : [])),
    ];
    const planned = await this.planned(userId, [...new Set(withPlan)]);
    return { streaks: await this.streaksOf(userId, runs, planned), todays: todaysOf(done, planned) };
  }

  private async streaksOf(
    userId: string,
    runs: TaskRun[],
    planned: Planned[],
  ): Promise<Map<number, TrueStreak>> {
    const found = new Map<number, TrueStreak>();
    for (const { id, today, end, ...run } of runs)
      found.set(
        id,
        streakOn(today, run, () => end ?? undefined),
      );
    const asked = planned.filter(({ id }) => found.has(id));
    const streaks = asked.map(({ lens, ...task }) => plannedStreakOn(task, lens, task));
    const ended = await this.days.withEnds(userId, streaks);
    asked.forEach(({ id }, index) => void found.set(id, ended[index] as TrueStreak));
    return found;
  }

  /** Those of the tasks that ask for something today. */
  async dueOf(userId: string, ids: number[]): Promise<Set<number>> {
    const { todays } = await this.of(userId, { streaks: [], todays: ids });
    return new Set([...todays.values()].filter(({ isOpen }) => isOpen).map(({ id }) => id));
  }

  private async planned(userId: string, ids: number[]): Promise<Planned[]> {
    if (ids.length === 0) return [];
    const rows = await this.database.run(plannedTasks, { userId, ids, now: this.clock.now() });
    const rests = new Rests(rows.find((row) => row.restsOfAll)?.restsOfAll, rows);
    return eachInTurn(rows, (row) => {
      const { id, today, lastDay, keptDays, lastKeptBefore: lastKept } = row;
      const lens = new Lens(scheduleOf(row), rests.of(id), row.weekStartsOn ?? 'MONDAY');
      const { first } = lens.unitAround(today);
      const keptInPeriod = keptDays.filter((day) => first <= day && day < today).length;
      const isKept = row.times === null ? lastDay !== null && lastDay >= today : keptDays.includes(today);
      return {
        ...row,
        lens,
        isKept,
        keptInPeriod,
        isDue: lens.isDueOn(today, { dueFrom: lens.dueAfter(lastKept), keptInPeriod }),
      };
    });
  }
}

function todaysOf(done: DoneToday[], planned: Planned[]): Map<number, Today> {
  const plans = new Map(planned.map((plan) => [plan.id, plan]));
  return new Map(
    done.map((row) => {
      const plan = plans.get(row.id);
      return [row.id, { ...row, ...(plan ? plannedToday(plan, row) : ofEveryDay(row)) }];
    }),
  );
}

/** After travel westwards, the last kept day may lie ahead: it says nothing of today. */
const isKeptToday = ({ completions, left }: DoneToday) => completions > 0 && !(left && left > 0);

function ofEveryDay(done: DoneToday) {
  const isKept = isKeptToday(done);
  return { isDue: true, isOpen: !isKept, state: isKept ? ('KEPT' as const) : ('DUE' as const) };
}

function plannedToday({ today, lens, lastKeptBefore, keptInPeriod }: Planned, done: DoneToday) {
  const rest = lens.neutral.kindOf(today);
  const isKept = isKeptToday(done);
  const dueFrom = lens.dueAfter(lastKeptBefore, isKept ? today : undefined);
  const isDue = lens.isDueOn(today, { dueFrom, keptInPeriod });
  const day = { day: today, isKept, isDue, rest, done };
  const state = stateOf(day, { today, madeOn: today, isByPeriod: lens.schedule.kind === 'times' });
  return { isDue, isOpen: isDue && !isKept && !rest, state };
}
