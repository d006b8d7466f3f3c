import type { Database } from '../../database/database.js';
import type { SignedLinks } from '../check-in/signed-links.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { CalendarService, DayOfTask } from '../history/calendar/calendar.service.js';
import type { TaskDaysService } from '../history/calendar/task-days.service.js';
import type { PauseRow } from '../history/pauses/pause.queries.js';
import type { PauseService } from '../history/pauses/pause.service.js';
import type { UserDaysService } from '../history/streaks/user-days.service.js';
import { type Day, dayAt, daysAfter, daysBetween, numberOf } from '../schedules/day.js';
import { type Period, periodAround, type Weekday } from '../schedules/schedule.js';
import { isLimit, periodTargetOf, thousandthsOf } from '../schedules/target.js';
import { type CalendarFeedRow, tasksInUse } from './calendar-feed.queries.js';
import { calendarFeedLimits } from './limits.js';

/** Both days are included. */
export interface Span {
  first: Day;
  last: Day;
}

/** What stands in a calendar: a task on a day that asks for it, or a pause. */
export interface FeedEntry extends Span {
  /** It stays from reading to reading, and is no other entry's of the calendar. */
  key: string;
  /** Null for a pause of everything. */
  taskId: number | null;
  title: string | null;
  isPause: boolean;
  isKept: boolean;
  /** Skipped or paused, and nothing was done. */
  isCancelled: boolean;
  /** Completes the task on this day. */
  token?: string;
}

export interface FeedContent {
  today: Day;
  entries: FeedEntry[];
}

/** Tasks whose days are read together. */
const TASKS_AT_ONCE = 100;

const { daysAround, entries: mostEntries } = calendarFeedLimits;

/** Finds out what stands in a calendar, by the statements that lists and calendars of this service use. */
export class FeedEntriesService {
  constructor(
    private readonly database: Database,
    private readonly days: UserDaysService,
    private readonly taskDays: TaskDaysService,
    private readonly calendars: CalendarService,
    private readonly pauses: PauseService,
    private readonly links: SignedLinks,
  ) {}

  /** Those nearest to today, in the order of their days; on one day pauses first, and tasks in the order of the user. */
  async of(feed: CalendarFeedRow): Promise<FeedContent> {
    const { userId } = feed;
    const { today, weekStartsOn } = await this.days.of(userId);
    const shown = { first: daysAfter(today, -daysAround), last: daysAfter(today, daysAround) };
    const tasks = await this.tasksOf(feed);
    let entries = nearest(await this.pausesOf(userId, tasks, shown), today);
    const asking = tasks.filter((task) => !isLimit(task));
    for (let begin = 0; begin < asking.length; begin += TASKS_AT_ONCE) {
      const some = asking.slice(begin, begin + TASKS_AT_ONCE);
      const found = await this.daysOf(userId, some, { shown, weekStartsOn });
      entries = nearest([...entries, ...found], today);
    }
    return { today, entries: feed.links ? this.withLinks(entries, userId, today) : entries };
  }

  private async tasksOf({ userId, tag, section }: CalendarFeedRow): Promise<TaskRow[]> {
    const tasks = await this.database.run(tasksInUse, { userId });
    if (tag === null && section === null) return tasks;
    const [ids] = await this.taskDays.idsOfEach(userId, [{ tag, section }]);
    const wanted = new Set(ids);
    return tasks.filter(({ id }) => wanted.has(id));
  }

  private async pausesOf(userId: string, tasks: readonly TaskRow[], shown: Span): Promise<FeedEntry[]> {
    const titles = new Map(tasks.map(({ id, title }) => [id, title]));
    const ofAll = await this.pauses.ofUser(userId);
    const ofTasks = tasks.length > 0 ? await this.pauses.ofTasks(userId, [...titles.keys()]) : [];
    return [...ofAll, ...ofTasks]
      .filter(({ firstDay, lastDay }) => firstDay <= shown.last && (lastDay ?? shown.last) >= shown.first)
      .map((pause) => pauseEntry(pause, (pause.taskId !== null && titles.get(pause.taskId)) || null, shown));
  }

  private async daysOf(
    userId: string,
    tasks: readonly TaskRow[],
    { shown, weekStartsOn }: { shown: Span; weekStartsOn: Weekday },
  ): Promise<FeedEntry[]> {
    const wanted = tasks.map((task) => {
      const per = periodTargetOf(task)?.per;
      // What a period has is known from all of its days.
      const from = per ? dayAt(periodAround(numberOf(shown.first), per, weekStartsOn).first) : shown.first;
      return { task, per, from, to: shown.last };
    });
    const calendars = await this.calendars.ofTasks(userId, wanted);
    return wanted.flatMap(({ task, per }, index) => {
      const days = calendars[index];
      if (!Array.isArray(days)) throw days;
      return per ? periodEntries(task, days, { per, weekStartsOn, shown }) : dayEntries(task, days);
    });
  }

  private withLinks(entries: readonly FeedEntry[], userId: string, day: Day): FeedEntry[] {
    return entries.map((entry) => {
      const { isPause, first, taskId } = entry;
      if (isPause || first !== day || taskId === null) return entry;
      return { ...entry, token: this.links.make({ userId, taskId, day }) };
    });
  }
}

function pauseEntry(
  { id, taskId, firstDay, lastDay }: PauseRow,
  title: string | null,
  shown: Span,
): FeedEntry {
  // One without an end is shown as far as the calendar goes.
  const span = { first: firstDay, last: lastDay ?? shown.last };
  return { taskId, key: `pause-${id}`, title, ...span, isPause: true, isKept: false, isCancelled: false };
}

const ofDay = (
  { id, title }: TaskRow,
  day: Day,
  { isKept, isCancelled }: Pick<FeedEntry, 'isKept' | 'isCancelled'>,
): FeedEntry => ({
  ...{ taskId: id, key: `task-${id}-${day}`, title, first: day, last: day },
  ...{ isPause: false, isKept, isCancelled },
});

const rests = ({ state }: DayOfTask) => state === 'SKIPPED' || state === 'PAUSED';

const dayEntries = (task: TaskRow, days: readonly DayOfTask[]): FeedEntry[] =>
  days
    .filter(({ isDue }) => isDue)
    .map((day) => ofDay(task, day.date, { isKept: day.state === 'KEPT', isCancelled: rests(day) }));

/** One on the last day of each week or month: what was asked for until then, or was reached. */
function periodEntries(
  task: TaskRow,
  days: readonly DayOfTask[],
  { per, weekStartsOn, shown }: { per: Period; weekStartsOn: Weekday; shown: Span },
): FeedEntry[] {
  const target = periodTargetOf(task)?.amount ?? 0;
  const periods = Map.groupBy(days, ({ date }) => periodAround(numberOf(date), per, weekStartsOn).last);
  return [...periods].flatMap(([number, ofPeriod]) => {
    const last = ofPeriod.at(-1);
    if (!last || numberOf(last.date) !== number || last.date < shown.first) return [];
    const amount = ofPeriod.reduce((sum, day) => sum + thousandthsOf(day.amount ?? 0), 0);
    const isKept = amount >= target;
    return isKept || last.isDue
      ? [ofDay(task, last.date, { isKept, isCancelled: ofPeriod.every(rests) })]
      : [];
  });
}

/** The days that are over come first where no more than some of the same distance have room. */
function nearest(all: readonly FeedEntry[], today: Day): FeedEntry[] {
  const found = all.map((entry, place) => ({
    ...{ entry, place, first: numberOf(entry.first) },
    away: Math.max(0, daysBetween(today, entry.first), daysBetween(entry.last, today)),
  }));
  type Found = (typeof found)[number];
  const inOrder = (one: Found, other: Found) => one.first - other.first || one.place - other.place;
  const shown = found.sort((one, other) => one.away - other.away || inOrder(one, other));
  return shown
    .slice(0, mostEntries)
    .sort(inOrder)
    .map(({ entry }) => entry);
}
