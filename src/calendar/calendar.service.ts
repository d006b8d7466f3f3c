import type { CompletionTables } from '../completions/completion-list.queries.js';
import type { Database } from '../database/database.js';
import { Refusal } from '../errors.js';
import { eachInTurn } from '../queues/long-turns.js';
import { type Day, type DayNumber, dayAt, numberOf } from '../schedules/day.js';
import {
  type DayState,
  type Done,
  type History,
  type JudgedDay,
  judgedDays,
} from '../schedules/judged-days.js';
import { Lens, type NeutralDays, type StreakEffect } from '../schedules/lens.js';
import { Limit, type Reading, readingOf } from '../schedules/limit.js';
import { limitDays, limitStatisticsOf } from '../schedules/limit-days.js';
import { EVERY_DAY } from '../schedules/schedule.js';
import { type Range, type Statistics, statisticsOf } from '../schedules/statistics.js';
import { amountOfOne, targetOfDay } from '../schedules/target.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import type { TaskRow } from '../tasks/task.queries.js';
import { type ActiveDay, activeDays, type DayRange, type NotedDay, selectNotes } from './calendar.queries.js';
import { type AskedRange, type RangeOf, rangeOn } from './range.js';

/** A day of a user, or of a task. */
export interface DayActivity {
  userId: string;
  /** Null for the user. */
  taskId: number | null;
  date: Day;
  completions: number;
  points: number;
  amount: number;
  firstCompletedAt: Date | null;
  streakEffect: StreakEffect;
  /** Null for the user. */
  state: DayState | null;
  /** The same. */
  isDue: boolean | null;
  /** The same. */
  isSkipped: boolean | null;
}

/** Whose days: all tasks of the user, or one of them. */
interface WantedDays extends AskedRange {
  task: TaskRow | null;
}

type WantedOfTask = AskedRange & { task: TaskRow };

/** Days whose notes one statement reads. */
const DAYS_AT_ONCE = 1_000;

interface DoneOfDay extends ActiveDay, Done {}

interface Lived {
  /** Null for the user. */
  taskId: number | null;
  reading: Reading;
  history: History<DoneOfDay>;
  range: Range;
}

export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly days: UserDaysService,
  ) {}

  /**
   * Reads several calendars of one user together, all of tasks or none. Oldest first, one entry for every day of the
   * range, or why there is none.
   */
  async ofEach(userId: string, calendars: WantedDays[]): Promise<(DayActivity[] | Refusal)[]> {
    const lived = await this.read(userId, calendars, 'A calendar');
    return eachInTurn(lived, (each) => {
      if (each instanceof Refusal) return each;
      const { reading, history, range, taskId } = each;
      const days =
        reading instanceof Limit ? limitDays(reading, history, range) : judgedDays(reading, history, range);
      return days.map((day) => activityOf(day, { userId, taskId }, reading.neutral));
    });
  }

  /** The notes of days, all of tasks or none. They may be a thousand times as long as all else of a calendar. */
  async notesOf(userId: string, days: NotedDay[]): Promise<string[][]> {
    const query = this.database.query<CompletionTables>();
    const notes: string[][] = [];
    for (let begin = 0; begin < days.length; begin += DAYS_AT_ONCE)
      notes.push(...(await selectNotes(query, userId, days.slice(begin, begin + DAYS_AT_ONCE))));
    return notes;
  }

  /** One day of the user, of all tasks. */
  async day(userId: string, day: Day): Promise<DayActivity | undefined> {
    const [entries] = await this.ofEach(userId, [{ task: null, from: day, to: day }]);
    return entries instanceof Refusal ? undefined : entries?.[0];
  }

  /** Of tasks of one user. */
  async statisticsOf(userId: string, wanted: WantedOfTask[]): Promise<(Statistics | Refusal)[]> {
    const lived = await this.read(userId, wanted, 'Statistics');
    return eachInTurn(lived, (each) => {
      if (each instanceof Refusal) return each;
      const { reading, history, range } = each;
      return reading instanceof Limit
        ? limitStatisticsOf(reading, history, range)
        : statisticsOf(reading, history, range);
    });
  }

  private async read(userId: string, wanted: WantedDays[], of: RangeOf): Promise<(Lived | Refusal)[]> {
    const query = this.database.query<CompletionTables>();
    const tasks = wanted.flatMap(({ task }) => task ?? []);
    const { today, daysOf, weekStartsOn, rests } = await this.days.of(userId, {
      instants: tasks.map(({ createdAt }) => createdAt),
      restsOf: [...new Set(tasks.map(({ id }) => id))],
    });
    const todayNumber = numberOf(today);
    const ranges = wanted.map(({ task, ...asked }) => {
      const found = rangeOn(today, asked, of);
      if (found instanceof Refusal) return found;
      const neutral = task ? rests.of(task.id) : rests.ofUser();
      const reading = task
        ? readingOf(task, neutral, weekStartsOn)
        : new Lens(EVERY_DAY, neutral, weekStartsOn);
      const range = { from: numberOf(found.from), to: numberOf(found.to) };
      const made = task && daysOf.get(task.createdAt.getTime());
      // By a clock that is ahead it may be made tomorrow: it is due at once.
      const madeOn = made ? Math.min(numberOf(made), todayNumber) : Number.NEGATIVE_INFINITY;
      const span = spanOf(task, reading, { ...range, today: todayNumber, madeOn });
      return { madeOn, reading, range, span };
    });
    const spans = ranges.flatMap((each) => (each instanceof Refusal ? [] : each.span));
    const countRead = (bytes: number) => this.database.noteRead(bytes);
    const active = await activeDays(query, userId, spans, countRead);
    return ranges.map((each) => {
      if (each instanceof Refusal) return each;
      const { madeOn, reading, range } = each;
      const { taskId, target } = each.span;
      const days = new Map<DayNumber, DoneOfDay>();
      for (const [day, done] of active.get(taskId) ?? [])
        days.set(day, { ...done, isKept: target === null || Number(done.amount) >= target });
      const history = { days, today: todayNumber, madeOn };
      return { taskId, reading, history, range };
    });
  }
}

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

function activityOf(
  { day, done, effect, state, isDue }: JudgedDay<DoneOfDay>,
  of: Pick<DayActivity, 'userId' | 'taskId'>,
  neutral: NeutralDays,
): DayActivity {
  return {
    ...of,
    date: dayAt(day),
    completions: done?.completions ?? 0,
    points: Number(done?.points ?? 0),
    amount: Number(done?.amount ?? 0),
    firstCompletedAt: done?.firstCompletedAt ?? null,
    streakEffect: effect,
    state: of.taskId === null ? null : state,
    isDue: of.taskId === null ? null : isDue,
    isSkipped: of.taskId === null ? null : neutral.kindOf(day) === 'SKIPPED',
  };
}
