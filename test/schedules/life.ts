import { beginningOf, DAY, type DayCut, HOUR, userDayAt } from '../support/wall-clock.js';
import { Limit } from './limit-model.js';
import {
  type Day,
  type Done,
  EVERY_DAY,
  Habit,
  isEveryDay,
  nameOf,
  type Pause,
  type Period,
  type PeriodKind,
  type Schedule,
  type Streak,
  WEEKDAYS,
} from './model.js';

/** The user's own streak: days with any completion; only pauses of everything are neutral. */
export function userHabit(done: readonly Done[], pauses: readonly Pause[]): Habit {
  return new Habit({
    ...{ schedule: EVERY_DAY, target: null, made: 0, weekStartsOn: 0, skips: [] },
    ...{ done, pauses },
  });
}

/** In thousandths. */
export interface Target {
  amount: number;
  kind: 'AT_LEAST' | 'AT_MOST';
  per: 'DAY' | PeriodKind;
}

const isLimit = ({ target }: { target: Target | null }) => target?.kind === 'AT_MOST';

/** Whether the contract lets a schedule and a target go together. */
export function goTogether(schedule: Schedule, target: Target | null): boolean {
  if (!target) return true;
  if (target.per !== 'DAY') return isEveryDay(schedule);
  return target.kind === 'AT_LEAST' || 'weekdays' in schedule || isEveryDay(schedule);
}

export interface PaperTask {
  id: string;
  schedule: Schedule;
  target: Target | null;
  points: number;
  madeAt: Date;
  /** On the days of then, once they are cut otherwise. */
  madeOn?: Day;
  archivedAt: Date | null;
  /** The same of when it was archived. */
  archivedOn?: Day | undefined;
}

interface PaperDone extends Done {
  id: string;
  taskId: string;
  at: Date;
  key: string | null;
}

interface PaperPause extends Pause {
  id: string;
  taskId: string | null;
}

const AT_MOST_AGO = 168 * HOUR;
const AHEAD = 366;

const plain = (thousandths: number) => thousandths / 1_000;
const utcDayAt = (at: Date): Day => Math.floor(at.getTime() / DAY);

/** Of runs, as they are stored. */
function storedRunOf(runs: Day[][]) {
  const [first, last] = [runs.at(-1)?.[0], runs.at(-1)?.at(-1)];
  return {
    startedOn: first === undefined ? null : nameOf(first),
    lastDay: last === undefined ? null : nameOf(last),
    count: runs.at(-1)?.length ?? 0,
    longest: Math.max(0, ...runs.map(({ length }) => length)),
  };
}
const byTime = (one: PaperDone, other: PaperDone) =>
  one.at.getTime() - other.at.getTime() || Number(one.id) - Number(other.id);
const overlap = (one: Pause, other: Pause) =>
  (one.until === null || other.from <= one.until) && (other.until === null || one.from <= other.until);

/** As GraphQL takes a schedule. */
export function inputOf(schedule: Schedule) {
  if (schedule === EVERY_DAY) return { everyDay: true };
  if ('timesPer' in schedule) return schedule;
  if ('everyDays' in schedule) return { everyDays: schedule.everyDays };
  return { weekdays: schedule.weekdays.map((weekday) => WEEKDAYS[weekday]) };
}

export const hasGraceDay = (schedule: Schedule) => 'everyDays' in schedule && (schedule.hasGraceDay ?? false);

/** What one user has made, done and planned, noted on paper, and what GraphQL must say of it. */
export class Life {
  private cut: DayCut = { timeZone: 'UTC', dayStartsAt: 0 };
  /** Whether the service counts days of the user's own beside those of UTC. */
  private hasOwnDays = false;
  /** By the letter of the spec: raised by the first completion of a UTC day, whatever lies before it. */
  private currentStreak = 0;
  private maxStreak = 0;
  weekStartsOn = 0;
  tasks: PaperTask[] = [];
  done: PaperDone[] = [];
  pauses: PaperPause[] = [];
  skips: { taskId: string; day: Day }[] = [];

  dayAt(at: Date): Day {
    return userDayAt(at, this.cut);
  }

  /** From now on days are those of this wall clock. */
  move(cut: DayCut): void {
    for (const task of this.tasks) {
      task.madeOn ??= this.dayAt(task.madeAt);
      if (task.archivedAt) task.archivedOn ??= this.dayAt(task.archivedAt);
    }
    this.cut = cut;
    this.hasOwnDays = true;
  }

  create(task: Omit<PaperTask, 'archivedAt'>): void {
    this.tasks.push({ ...task, archivedAt: null });
  }

  /** Why a task cannot have this target. */
  refusalOfTarget({ id, schedule, ...task }: PaperTask, target: Target | null): string | undefined {
    if (!goTogether(schedule, target)) return 'INVALID_INPUT';
    const hasHistory = this.done.some(({ taskId }) => taskId === id);
    return hasHistory && isLimit({ target }) !== isLimit(task) ? 'HAS_HISTORY' : undefined;
  }

  /** Why a completion is refused, if it is. */
  refusalOf(task: PaperTask, ago: number): string | undefined {
    if (ago > AT_MOST_AGO) return 'TOO_LONG_AGO';
    return task.archivedAt ? 'TASK_ARCHIVED' : undefined;
  }

  /** One of a UTC day that is over has the streak counted anew. */
  complete(task: PaperTask, done: Pick<PaperDone, 'id' | 'at' | 'amount' | 'key'>, now: Date): void {
    const { id: taskId } = task;
    const points = isLimit(task) ? 0 : task.points;
    const day = utcDayAt(done.at);
    const last = this.utcRuns().at(-1)?.at(-1);
    this.done.push({ ...done, taskId, points, day: this.dayAt(done.at) });
    if (isLimit(task)) return;
    if (day < Math.max(last ?? day, utcDayAt(now))) {
      this.correct(now);
    } else if (day !== last) {
      this.currentStreak += 1;
      this.maxStreak = Math.max(this.maxStreak, this.currentStreak);
    }
  }

  /** What is done of a limit is a record, and none of what the user has done. */
  private get earning(): PaperDone[] {
    return this.done.filter(({ points }) => points > 0);
  }

  private utcRuns(): Day[][] {
    return userHabit(
      this.earning.map((each) => ({ ...each, day: utcDayAt(each.at) })),
      [],
    ).runs();
  }

  /** As the streak job does; tells whether there was anything to correct. */
  correct(now: Date): boolean {
    const { currentStreak, maxStreak } = this;
    const runs = this.utcRuns();
    const last = runs.at(-1) ?? [];
    const isAlive = (last.at(-1) ?? Number.NaN) >= utcDayAt(now) - 1;
    this.currentStreak = isAlive ? last.length : 0;
    this.maxStreak = storedRunOf(runs).longest;
    return currentStreak !== this.currentStreak || maxStreak !== this.maxStreak;
  }

  canUndo({ at }: PaperDone, now: Date): boolean {
    return now.getTime() - at.getTime() <= AT_MOST_AGO;
  }

  undo(id: string, now: Date): void {
    const isEarning = this.earning.some((each) => each.id === id);
    this.done = this.done.filter((each) => each.id !== id);
    if (isEarning) this.correct(now);
  }

  /** Why this day cannot be planned any more, or not yet. */
  refusalOfDay(day: Day, now: Date): string | undefined {
    if (day < this.dayAt(new Date(now.getTime() - AT_MOST_AGO))) return 'TOO_LONG_AGO';
    return day > this.dayAt(now) + AHEAD ? 'IN_FUTURE' : undefined;
  }

  unskip(taskId: string, day: Day): void {
    this.skips = this.skips.filter((each) => each.taskId !== taskId || each.day !== day);
  }

  isPausedThen(wanted: Omit<PaperPause, 'id'>, except?: PaperPause): boolean {
    return this.pauses.some(
      (each) => each !== except && each.taskId === wanted.taskId && overlap(each, wanted),
    );
  }

  /** The first of the days on which it is not in use any more. */
  private inUse({ archivedAt, archivedOn }: PaperTask): { until: Day } {
    return { until: archivedAt ? (archivedOn ?? this.dayAt(archivedAt)) : Infinity };
  }

  pause(pause: PaperPause): void {
    this.pauses.push(pause);
    this.hasOwnDays ||= pause.taskId === null;
  }

  delete(id: string, now: Date): void {
    this.tasks = this.tasks.filter((each) => each.id !== id);
    this.done = this.done.filter(({ taskId }) => taskId !== id);
    this.skips = this.skips.filter(({ taskId }) => taskId !== id);
    this.pauses = this.pauses.filter(({ taskId }) => taskId !== id);
    this.correct(now);
  }

  private userHabit(): Habit {
    const pauses = this.pauses.filter(({ taskId }) => taskId === null);
    return userHabit(this.earning, pauses);
  }

  /** By a clock that is ahead it may be made tomorrow: it is due at once. */
  private habitOf(task: PaperTask, today = Infinity): Habit | Limit {
    const { id, madeAt, madeOn = this.dayAt(madeAt), schedule, target } = task;
    const of = <Each extends { taskId: string | null }>(list: Each[]) =>
      list.filter(({ taskId }) => taskId === id);
    return new (isLimit(task) ? Limit : Habit)({
      ...{ schedule, target: target?.amount ?? null },
      per: target && target.per !== 'DAY' ? target.per : null,
      ...{ weekStartsOn: this.weekStartsOn, made: Math.min(madeOn, today) },
      done: of(this.done),
      skips: of(this.skips).map(({ day }) => day),
      pauses: this.pauses.filter(({ taskId }) => taskId === null || taskId === id),
    });
  }

  private shown({ count, aliveUntil, ...streak }: Streak) {
    const end = aliveUntil === null ? null : beginningOf(aliveUntil + 1, this.cut).toISOString();
    return { ...streak, count, aliveUntil: end };
  }

  private pointsOf(done: readonly Done[]): number {
    return plain(done.reduce((sum, { points }) => sum + points, 0));
  }

  /** As in the columns of `user_progress`. */
  counters() {
    const utc = storedRunOf(this.utcRuns());
    const own = storedRunOf(this.hasOwnDays ? this.userHabit().runs() : []);
    return {
      points: this.pointsOf(this.done),
      current_streak: this.currentStreak,
      max_streak: this.maxStreak,
      ...{ last_active_on: utc.lastDay, run_started_on: utc.startedOn, longest_run: utc.longest },
      ...{ last_user_day: own.lastDay, user_run_started_on: own.startedOn },
      ...{ user_run_count: own.count, longest_user_run: own.longest },
    };
  }

  /** As in the columns of `tasks`, save those of a limit, and of a run of weeks or months. */
  taskCounters(task: PaperTask) {
    const done = this.done.filter(({ taskId }) => taskId === task.id).sort(byTime);
    const habit = this.habitOf(task);
    const isOfDays =
      habit instanceof Habit && !('timesPer' in task.schedule) && (task.target?.per ?? 'DAY') === 'DAY';
    const { lastDay, startedOn, count, longest } = storedRunOf(isOfDays ? habit.runs() : []);
    return {
      id: Number(task.id),
      ...{ completion_count: done.length, last_completed_at: done.at(-1)?.at ?? null },
      ...(isOfDays && {
        ...{ last_day: lastDay, run_started_on: startedOn, run_count: count, longest_run: longest },
      }),
    };
  }

  user(range: Period, now: Date) {
    const habit = this.userHabit();
    const days = this.calendar(habit, range, now, this.earning);
    const today = this.dayAt(now);
    const habits = this.tasks.map((task) => ({ habit: this.habitOf(task, today), ...this.inUse(task) }));
    return {
      points: this.pointsOf(this.done),
      currentStreak: this.currentStreak,
      maxStreak: this.maxStreak,
      streak: this.shown(habit.streak(this.dayAt(now))),
      calendar: days.map((entry, index) => {
        const day = range.from + index;
        const due = habits.filter(({ habit, until }) => day < until && habit.asksOn(day, today));
        const keptCount = due.filter(({ habit }) => habit.isEnough(day)).length;
        return { ...entry, dueCount: due.length, keptCount };
      }),
    };
  }

  /** Those in use, oldest first. */
  list(now: Date, isListed: (habit: Habit | Limit, today: Day) => boolean = () => true): string[] {
    const today = this.dayAt(now);
    return this.tasks
      .toSorted((one, other) => one.madeAt.getTime() - other.madeAt.getTime())
      .filter(({ archivedAt }) => !archivedAt)
      .filter((task) => isListed(this.habitOf(task, today), today))
      .map(({ id }) => id);
  }

  task(task: PaperTask, range: Period, now: Date) {
    const today = this.dayAt(now);
    const habit = this.habitOf(task, today);
    const remaining = habit.remaining(today);
    const next = task.archivedAt ? null : habit.nextDueOn(today);
    const done = this.done.filter(({ taskId }) => taskId === task.id);
    const ofToday = done.filter(({ day }) => day === today).sort(byTime);
    const lastOfToday = ofToday.at(-1);
    const standings = habit.standings(today);
    return {
      completionCount: done.length,
      today: {
        date: nameOf(today),
        completionCount: ofToday.length,
        lastCompletion: lastOfToday ? { id: lastOfToday.id } : null,
        state: habit.stateOf(today, today),
        amount: task.target && plain(habit.amountOn(today)),
        periodAmount: task.target && plain(habit.periodAmount(today)),
        isDue: habit.isDue(today),
        isOpen: standings.includes('OPEN'),
        isKept: standings.includes('KEPT'),
        filters: standings,
        remaining: remaining === null ? null : plain(remaining),
      },
      nextDueOn: next && nameOf(next),
      streak: this.shown(habit.streak(today)),
      calendar: this.calendar(habit, range, now, done).map((day, index) => ({
        ...{ ...day, state: habit.stateOf(range.from + index, today) },
        amount: task.target && plain(habit.amountOn(range.from + index)),
        isDue: habit.isDue(range.from + index, today),
        isSkipped: this.skips.some((each) => each.taskId === task.id && each.day === range.from + index),
      })),
    };
  }

  private calendar(habit: Habit | Limit, { from, to }: Period, now: Date, done: readonly PaperDone[]) {
    return Array.from({ length: to - from + 1 }, (_, index) => {
      const day = from + index;
      const ofDay = done.filter((each) => each.day === day).sort(byTime);
      return {
        ...{ date: nameOf(day), completionCount: ofDay.length, points: this.pointsOf(ofDay) },
        firstCompletedAt: ofDay[0]?.at.toISOString() ?? null,
        streakEffect: habit.effectOf(day, this.dayAt(now)),
      };
    });
  }
}
