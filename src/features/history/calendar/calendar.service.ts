import { Refusal } from '../../../base/errors.js';
import { mapYielding } from '../../../base/queues/event-loop.js';
import type { Database } from '../../../database/database.js';
import type { TaskRow } from '../../habits/task.queries.js';
import type { TaskService } from '../../habits/task.service.js';
import { type Day, type DayNumber, dayAt, numberOf } from '../../schedules/day.js';
import { Judge, type NeutralDays, type StreakEffect } from '../../schedules/judge.js';
import {
  type DayState,
  type Done,
  type History,
  type JudgedDay,
  judgedDays,
} from '../../schedules/judged-days.js';
import { Limit, type Reading, readingOf } from '../../schedules/limit.js';
import { limitDays, limitStatisticsOf } from '../../schedules/limit-days.js';
import { EVERY_DAY } from '../../schedules/schedule.js';
import { rangeOfScore, scoreOf } from '../../schedules/score.js';
import { type Range, type Statistics, statisticsOf } from '../../schedules/statistics.js';
import { amountOfOne, isLimit, targetOfDay } from '../../schedules/target.js';
import type { CompletionTables } from '../completions/completion-list.queries.js';
import { historyLimits } from '../limits.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { type ActiveDay, activeDays, type DayRange, type NotedDay, selectNotes } from './calendar.queries.js';
import { type AskedRange, type RangeOf, rangeOn } from './range.js';

/** A day of a user. */
export interface DayActivity {
  userId: string;
  date: Day;
  completionCount: number;
  points: number;
  firstCompletedAt: Date | null;
  streakEffect: StreakEffect;
}

export interface DayOfTask extends DayActivity {
  taskId: number;
  /** Null without a target. */
  amount: number | null;
  state: DayState;
  isDue: boolean;
  isSkipped: boolean;
}

/** Of how many tasks a day asked for something, and how many of them were kept. */
export interface DayCounts {
  dueCount: number;
  keptCount: number;
}

/** Whose days: all tasks of the user, or one of them. */
interface WantedDays extends AskedRange {
  task: TaskRow | null;
  /** In place of a range that was asked for. */
  rangeOf?: (reading: Reading, today: DayNumber) => Range;
}

type WantedOfTask = AskedRange & { task: TaskRow };

/** Tasks whose days are counted together, and longest range of them: none of it waits for all of a long life. */
const TASKS_AT_ONCE = 100;

/** Days whose notes one statement reads. */
const DAYS_AT_ONCE = 1_000;

interface DoneOfDay extends ActiveDay, Done {}

interface Lived {
  /** Null for the user. */
  task: TaskRow | null;
  /** The first day on which it is archived. */
  archivedOn: DayNumber | undefined;
  reading: Reading;
  history: History<DoneOfDay>;
  range: Range;
  /** What the amounts of a day must reach. */
  target: number | null;
}

/** Every day of a range, of a task or of the user. */
interface Judged extends Pick<Lived, 'task' | 'archivedOn' | 'reading'> {
  days: JudgedDay<DoneOfDay>[];
}

export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly days: UserDaysService,
    private readonly tasks: Pick<TaskService, 'all'>,
  ) {}

  /** Reads several calendars of one user together. Oldest first, one entry for every day of the range, or why there is none. */
  async ofUser(userId: string, calendars: AskedRange[]): Promise<(DayActivity[] | Refusal)[]> {
    const wanted = calendars.map((asked) => ({ ...asked, task: null }));
    return this.judged(userId, wanted, ({ days }) => days.map((day) => activityOf(day, userId)));
  }

  /** The days of each of these tasks. */
  async ofTasks(userId: string, calendars: WantedOfTask[]): Promise<(DayOfTask[] | Refusal)[]> {
    return this.judged(userId, calendars, ({ days, task, reading }) =>
      task ? days.map((day) => dayOfTask(day, task, reading.neutral)) : [],
    );
  }

  /** For each day, of the tasks that were in use on it until it was over, or were kept on it. */
  async countsOf(userId: string, dates: readonly Day[]): Promise<DayCounts[]> {
    const counts = new Map(dates.map((date) => [date, { dueCount: 0, keptCount: 0 }]));
    const tasks = (await this.tasks.all(userId)).filter((task) => !isLimit(task));
    const count = ({ days, archivedOn: until = Number.POSITIVE_INFINITY, reading }: Judged) => {
      for (const day of days) {
        const isOfDay = isCounted(day, reading) && (day.day < until || day.isKept);
        const ofDay = isOfDay ? counts.get(dayAt(day.day)) : undefined;
        if (ofDay) ofDay.dueCount += 1;
        if (ofDay && day.isKept) ofDay.keptCount += 1;
      }
    };
    for (const range of rangesOf([...counts.keys()]))
      for (let begin = 0; begin < tasks.length; begin += TASKS_AT_ONCE)
        await this.judged(
          userId,
          tasks.slice(begin, begin + TASKS_AT_ONCE).map((task) => ({ task, ...range })),
          count,
        );
    return dates.map((date) => counts.get(date) ?? { dueCount: 0, keptCount: 0 });
  }

  /** The notes of days. They may be a thousand times as long as all else of a calendar. */
  async notesOf(userId: string, days: NotedDay[]): Promise<string[][]> {
    const query = this.database.query<CompletionTables>();
    const notes: string[][] = [];
    for (let begin = 0; begin < days.length; begin += DAYS_AT_ONCE)
      notes.push(...(await selectNotes(query, userId, days.slice(begin, begin + DAYS_AT_ONCE))));
    return notes;
  }

  /** One day of the user, of all tasks. */
  async day(userId: string, day: Day): Promise<DayActivity | undefined> {
    const [entries] = await this.ofUser(userId, [{ from: day, to: day }]);
    return entries instanceof Refusal ? undefined : entries?.[0];
  }

  /** Of tasks of one user. */
  async statisticsOf(userId: string, wanted: WantedOfTask[]): Promise<(Statistics | Refusal)[]> {
    const lived = await this.read(userId, wanted, 'Statistics');
    return mapYielding(lived, (each) => {
      if (each instanceof Refusal) return each;
      const { reading, history, range } = each;
      return reading instanceof Limit
        ? limitStatisticsOf(reading, history, range)
        : statisticsOf(reading, history, range);
    });
  }

  /** Of tasks of one user. */
  async scoresOf(userId: string, tasks: readonly TaskRow[]): Promise<number[]> {
    const lived = await this.read(
      userId,
      tasks.map((task) => ({ task, rangeOf: rangeOfScore })),
      'Statistics',
    );
    return mapYielding(lived, (each) =>
      each instanceof Refusal ? 0 : scoreOf(each.reading, each.history, each),
    );
  }

  private async judged<Result>(
    userId: string,
    wanted: WantedDays[],
    resultOf: (judged: Judged) => Result,
  ): Promise<(Result | Refusal)[]> {
    const lived = await this.read(userId, wanted, 'A calendar');
    return mapYielding(lived, (each) => {
      if (each instanceof Refusal) return each;
      const { reading, history, range, task, archivedOn } = each;
      const days =
        reading instanceof Limit ? limitDays(reading, history, range) : judgedDays(reading, history, range);
      return resultOf({ days, task, archivedOn, reading });
    });
  }

  private async read(userId: string, wanted: WantedDays[], of: RangeOf): Promise<(Lived | Refusal)[]> {
    const query = this.database.query<CompletionTables>();
    const tasks = wanted.flatMap(({ task }) => task ?? []);
    const restsOf = [...new Set(tasks.map(({ id }) => id))];
    const {
      today,
      weekStartsOn,
      rests,
      madeOn: made,
      archivedOn: archived,
    } = await this.days.of(userId, { restsOf });
    const todayNumber = numberOf(today);
    const ranges = wanted.map(({ task, rangeOf, ...asked }) => {
      const neutral = task ? rests.of(task.id) : rests.ofUser();
      const reading = task
        ? readingOf(task, neutral, weekStartsOn)
        : new Judge(EVERY_DAY, neutral, weekStartsOn);
      const found = rangeOf ? rangeOf(reading, todayNumber) : numbered(rangeOn(today, asked, of));
      if (found instanceof Refusal) return found;
      // By a clock that is ahead it may be made tomorrow: it is due at once. Of one that is gone by now nothing is asked.
      const madeOn = task
        ? Math.min(numberOf(made.get(task.id) ?? today), todayNumber)
        : Number.NEGATIVE_INFINITY;
      const span = spanOf(task, reading, { ...found, today: todayNumber, madeOn });
      return { madeOn, reading, range: found, span, task };
    });
    const spans = ranges.flatMap((each) => (each instanceof Refusal ? [] : each.span));
    const countRead = (bytes: number) => this.database.noteRead(bytes);
    const active = await activeDays(query, userId, spans, countRead);
    return ranges.map((each) => {
      if (each instanceof Refusal) return each;
      const { madeOn, reading, range, task } = each;
      const lastDay = task && archived.get(task.id);
      const archivedOn = lastDay ? numberOf(lastDay) : undefined;
      const { taskId, target } = each.span;
      const days = new Map<DayNumber, DoneOfDay>();
      for (const [day, done] of active.get(taskId) ?? [])
        days.set(day, { ...done, isKept: target === null || Number(done.amount) >= target });
      const history = { days, today: todayNumber, madeOn };
      return { task, archivedOn, reading, history, range, target };
    });
  }
}

const numbered = (range: ReturnType<typeof rangeOn>): Range | Refusal =>
  range instanceof Refusal ? range : { from: numberOf(range.from), to: numberOf(range.to) };

/** What is read for a range: whole periods, since what a day of one did depends on the others, and what was before. */
function spanOf(
  task: TaskRow | null,
  reading: Reading,
  { from, to, ...history }: Range & { today: DayNumber; madeOn: DayNumber },
): DayRange {
  const span = {
    taskId: task?.id ?? null,
    target: task && targetOfDay(task),
    ofOne: task && amountOfOne(task),
    last: reading.unitAround(to).last,
  };
  if (reading instanceof Limit) return { ...span, first: reading.firstRead(from, history) };
  const { first } = reading.unitAround(from);
  // The last kept day before decides the effect of the first one.
  return reading.countsDayByDay ? { ...span, first: first - 1 } : { ...span, first, reachesBack: true };
}

/**
 * Whether a task counts among what a day asked for. A week or month asks for no single day, but a target of it for the
 * last one on which it could be met.
 */
const isCounted = (
  { isKept, isDue, isLetGo, isNeutral, state }: JudgedDay<Done>,
  { period }: Reading,
): boolean => isKept || (!isNeutral && (period ? state === 'PARTIAL' || isLetGo : isDue));

/** From the first of some days to the last, in ranges that a calendar may have. */
function rangesOf(dates: readonly Day[]): { from: Day; to: Day }[] {
  const numbers = dates.map(numberOf).sort((one, other) => one - other);
  const ranges: { from: DayNumber; to: DayNumber }[] = [];
  for (const day of numbers) {
    const last = ranges.at(-1);
    if (last && day < last.from + historyLimits.calendarDays) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges.map(({ from, to }) => ({ from: dayAt(from), to: dayAt(to) }));
}

const activityOf = ({ day, done, effect }: JudgedDay<DoneOfDay>, userId: string): DayActivity => ({
  userId,
  date: dayAt(day),
  completionCount: done?.completionCount ?? 0,
  points: Number(done?.points ?? 0),
  firstCompletedAt: done?.firstCompletedAt ?? null,
  streakEffect: effect,
});

const dayOfTask = (day: JudgedDay<DoneOfDay>, task: TaskRow, neutral: NeutralDays): DayOfTask => ({
  ...activityOf(day, task.userId),
  taskId: task.id,
  amount: task.targetAmount === null ? null : Number(day.done?.amount ?? 0),
  state: day.state,
  isDue: day.isDue,
  isSkipped: neutral.kindOf(day.day) === 'SKIPPED',
});
