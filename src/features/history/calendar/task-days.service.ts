import type { Clock } from '../../../base/clock.js';
import { mapYielding } from '../../../base/queues/event-loop.js';
import type { Database } from '../../../database/database.js';
import { sectionKey } from '../../habits/section.queries.js';
import type { TodayFilter } from '../../habits/task.input.js';
import type { TaskRow } from '../../habits/task.queries.js';
import { wordsOfTasks } from '../../habits/task-order.queries.js';
import { type Day, dayAt } from '../../schedules/day.js';
import { type AmountOfDay, doneIn, type Judge, type NeutralDays, Rests } from '../../schedules/judge.js';
import { type DayState, stateOf } from '../../schedules/judged-days.js';
import { Limit, readingOf } from '../../schedules/limit.js';
import { limitStateOf } from '../../schedules/limit-days.js';
import { mayWait, nextDueDay, type PeriodProgress, progressOn } from '../../schedules/next-due.js';
import { fromThousandths, thousandthsOf } from '../../schedules/target.js';
import { COUNTED_BYTES } from '../completions/completion-list.queries.js';
import { type StreakInDays, streakOn, type TrueStreak } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { type DoneToday, type TaskDays, taskDays } from './task-days.queries.js';

export interface TaskFilter {
  today?: TodayFilter | null | undefined;
  tag?: string | null | undefined;
  section?: string | null | undefined;
}

export interface Today extends DoneToday {
  date: Day;
  state: DayState;
  /** What the present period of the target has. */
  periodAmount: number;
  /** What is left of the target; null without one. */
  remaining: number | null;
  /** What the schedule says, whatever was done. */
  isDue: boolean;
  isKept: boolean;
  /** Due, and neither kept nor skipped nor paused. */
  isOpen: boolean;
  /** Today if it is open, or the next day that will be if nothing more is done; null: never. */
  nextDueOn: () => Day | null;
  /** Null where the goal is none of a week or month. */
  thisPeriod: () => PeriodProgress | null;
  /** Whether a later day of its week or month will do. */
  mayWait: () => boolean;
}

type Standing = Pick<Today, 'isDue' | 'isKept' | 'isOpen'>;

const standsAs: Record<TodayFilter, (today: Standing) => boolean> = {
  OPEN: ({ isOpen }) => isOpen,
  KEPT: ({ isKept }) => isKept,
  PLANNED: ({ isDue, isKept, isOpen }) => isOpen || (isDue && isKept),
  UNPLANNED: (today) => !standsAs.PLANNED(today),
};

/** The filters of `tasks(today:)` that find a task which stands so. */
export const filtersOf = (today: Standing): TodayFilter[] =>
  (Object.keys(standsAs) as TodayFilter[]).filter((filter) => standsAs[filter](today));

/** What the user's days were for each task by itself: a few statements for any number of tasks. */
export class TaskDaysService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly days: UserDaysService,
  ) {}

  /**
   * The streaks of some tasks, and what today is for some, by their ids: read together, since lists show both. With `at`,
   * as they are on the user's day of that instant.
   */
  async of(
    userId: string,
    { streaks, todays, at }: { streaks: number[]; todays: number[]; at?: Date | undefined },
  ): Promise<{ streaks: Map<number, TrueStreak>; todays: Map<number, Today> }> {
    const ids = [...new Set([...streaks, ...todays])];
    if (ids.length === 0) return { streaks: new Map(), todays: new Map() };
    const rows = await this.database.run(taskDays, { userId, ids, todays, now: at ?? this.clock.now() });
    this.database.noteRead(
      rows.reduce((sum, { completionCount }) => sum + completionCount, 0) * COUNTED_BYTES,
    );
    const rests = new Rests(rows.find((row) => row.restsOfAll)?.restsOfAll, rows);
    const [ofStreaks, ofTodays] = [new Set(streaks), new Set(todays)];
    const judged = await mapYielding(rows, (row) => {
      const { streak, today } = judgeOf(row, rests.of(row.id));
      return {
        ...row,
        streak: ofStreaks.has(row.id) ? streak() : undefined,
        done: ofTodays.has(row.id) ? today() : undefined,
      };
    });
    return {
      streaks: await this.withEnds(userId, judged),
      todays: new Map(judged.flatMap(({ id, done }) => (done ? [[id, done]] : []))),
    };
  }

  /** Nothing is asked of an archived task. */
  nextDueOn({ archivedAt }: Pick<TaskRow, 'archivedAt'>, today: Today): Day | null {
    return archivedAt ? null : today.nextDueOn();
  }

  /** For each filter, the ids of the tasks that stand so today, and have the tag and the section. */
  async idsOfEach(userId: string, filters: readonly TaskFilter[]): Promise<number[][]> {
    const tasks = await this.database.run(wordsOfTasks, { userId });
    const found = filters.map((filter) => ({
      stands: filter.today ? standsAs[filter.today] : undefined,
      ids: idsWith(tasks, filter),
    }));
    const judged = [...new Set(found.flatMap(({ stands, ids }) => (stands ? ids : [])))];
    const { todays } = await this.of(userId, { streaks: [], todays: judged });
    return found.map(({ stands, ids }) =>
      stands
        ? ids.filter((id) => {
            const today = todays.get(id);
            return today && stands(today);
          })
        : ids,
    );
  }

  private async withEnds(
    userId: string,
    judged: readonly (TaskDays & { streak: StreakInDays | undefined })[],
  ): Promise<Map<number, TrueStreak>> {
    const asked = judged.flatMap(({ id, streak }) => (streak ? { id, streak } : []));
    const known = new Map(
      judged.flatMap(({ lastDay, nextEnd }) =>
        lastDay !== null && nextEnd ? [[dayAt(lastDay), nextEnd]] : [],
      ),
    );
    const streaks = await this.days.withEnds(
      userId,
      asked.map(({ streak }) => streak),
      known,
    );
    return new Map(asked.map(({ id }, index) => [id, streaks[index] as TrueStreak]));
  }
}

/** What a task is judged by. */
function judgeOf(row: TaskDays, neutral: NeutralDays): { streak: () => StreakInDays; today: () => Today } {
  const reading = readingOf(row, neutral, row.weekStartsOn);
  return reading instanceof Limit
    ? { streak: () => streakOfLimit(row, reading), today: () => todayOfLimit(row, reading) }
    : { streak: () => streakOf(row, reading), today: () => todayOf(row, reading) };
}

/** What the present period has before today. */
function beforeToday({ kept, today }: TaskDays, judge: Judge) {
  const { first } = judge.unitAround(today);
  return doneIn(kept?.filter(({ day }) => first <= day && day < today) ?? []);
}

/** What the present period has, that of a day ahead too: see `taskDays`. */
function inPeriod({ kept, today }: TaskDays, judge: Judge): number {
  const { first, last } = judge.unitAround(today);
  const days = kept?.filter(({ day }) => first <= day && day <= last) ?? [];
  return doneIn(days).amountInPeriod;
}

function streakOf(row: TaskDays, judge: Judge): StreakInDays {
  const { today, lastDay, kept, lastKeptBefore } = row;
  const isKept = judge.period
    ? (kept?.some(({ day }) => day === today) ?? false) && judge.isEnoughOn(today, inPeriod(row, judge))
    : lastDay !== null && lastDay >= today;
  const before = { dueFrom: judge.dueAfter(lastKeptBefore), ...beforeToday(row, judge) };
  return streakOn({ today, isKept, isDue: judge.isDueOn(today, before) }, judge, row);
}

function todayOf(row: TaskDays, judge: Judge): Today {
  const { today, lastKeptBefore, completionCount, lastCompletionId, amount, targetAmount } = row;
  const done = { date: dayAt(today), completionCount, lastCompletionId, amount };
  const rest = judge.neutral.kindOf(today);
  const before = beforeToday(row, judge);
  const periodAmount = judge.target ? fromThousandths(inPeriod(row, judge)) : amount;
  const remaining = remainingOf(targetAmount, periodAmount);
  // After travel westwards, the last kept day may lie ahead: it says nothing of today.
  const isReached = judge.target ? judge.isEnoughOn(today, thousandthsOf(periodAmount)) : !remaining;
  const isKept = completionCount > 0 && isReached;
  const dueFrom = judge.dueAfter(lastKeptBefore, isKept ? today : undefined);
  const isDue = judge.isDueOn(today, { dueFrom, ...before });
  const day = { day: today, isKept, isDue, rest, done };
  const state = stateOf(day, { today, madeOn: today, isByPeriod: judge.period !== null });
  const kept = () => keptDaysAround(row, judge, isKept);
  return {
    ...{ ...done, periodAmount, remaining, isDue, isKept, isOpen: isDue && !isKept && !rest, state },
    nextDueOn: () => {
      const next = nextDueDay(judge, kept(), today);
      return next === null ? null : dayAt(next);
    },
    thisPeriod: () => progressOn(judge, kept(), today),
    mayWait: () => mayWait(judge, kept(), today),
  };
}

/** The last kept day before today, or those of the period, and those from today on. */
function keptDaysAround(row: TaskDays, judge: Judge, isKeptToday: boolean): readonly AmountOfDay[] {
  const { today, lastKeptBefore } = row;
  const kept = row.kept ?? [];
  if (judge.period) return kept;
  const before = lastKeptBefore !== null && lastKeptBefore < today ? [lastKeptBefore] : [];
  return [
    ...[...before, ...(isKeptToday ? [today] : [])].map((day) => ({ day, amount: 0 })),
    ...kept.filter(({ day }) => day > today),
  ];
}

/** It ends with nothing that is left undone. */
function streakOfLimit({ today, startedOn, longest }: TaskDays, limit: Limit): StreakInDays {
  const count = startedOn === null ? 0 : limit.unitsIn(startedOn, today - 1);
  return {
    unit: limit.period ? `${limit.period}S` : 'DAYS',
    count,
    longest: Math.max(longest, count),
    ...{ doneToday: false, atRisk: false, end: null },
  };
}

function todayOfLimit(row: TaskDays, limit: Limit): Today {
  const { today, completionCount, lastCompletionId, amount, kept } = row;
  const { first } = limit.unitAround(today);
  const days = kept?.filter(({ day }) => first <= day && day <= today) ?? [];
  const isExceeded = limit.exceededDays(days).includes(today);
  const ofPeriod = doneIn(days.filter(({ day }) => limit.counts(day))).amountInPeriod;
  const periodAmount = limit.period ? fromThousandths(ofPeriod) : amount;
  return {
    ...{ date: dayAt(today), completionCount, lastCompletionId, amount, periodAmount },
    remaining: remainingOf(limit.target.amount, periodAmount),
    ...{ isDue: false, isKept: false, isOpen: false },
    ...{ nextDueOn: () => null, thisPeriod: () => null, mayWait: () => false },
    state: limitStateOf(limit, today, { began: today, today, isExceeded }),
  };
}

const remainingOf = (target: number | null, amount: number) =>
  target === null ? null : fromThousandths(Math.max(0, thousandthsOf(target) - thousandthsOf(amount)));

function idsWith(
  tasks: readonly Pick<TaskRow, 'id' | 'tags' | 'section'>[],
  wanted: Pick<TaskFilter, 'tag' | 'section'>,
): number[] {
  const tag = wanted.tag?.trim().toLowerCase();
  const section = wanted.section == null ? undefined : sectionKey(wanted.section);
  const hasTag = ({ tags }: (typeof tasks)[number]) =>
    tag === undefined || tags?.some((each) => each.toLowerCase() === tag);
  const isOfSection = (task: (typeof tasks)[number]) =>
    section === undefined || (task.section !== null && sectionKey(task.section) === section);
  return tasks.filter((task) => hasTag(task) && isOfSection(task)).map(({ id }) => id);
}
