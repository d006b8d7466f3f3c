import type { CompletionTables } from '../completions/completion-list.queries.js';
import type { Database } from '../database/database.js';
import { invalid } from '../errors.js';
import { type Day, daysAfter, daysBetween } from '../streaks/day.js';
import { effectOf, type StreakEffect } from '../streaks/streak.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { limits } from '../validation.js';
import { type ActiveDays, activeDays } from './calendar.queries.js';

/** A day of a user. */
export interface DayActivity {
  date: Day;
  completions: number;
  points: number;
  firstCompletedAt: Date | null;
  streak: StreakEffect;
}

/** Both days are included. */
export interface CalendarRange {
  from: Day;
  to: Day;
}

/** Whose days: all tasks of the user, or one of them. */
export interface WantedCalendar extends CalendarRange {
  taskId: number | null;
}

export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly days: UserDaysService,
  ) {}

  refuseUnlessPossible({ from, to }: CalendarRange): void {
    const length = daysBetween(from, to) + 1;
    if (length < 1) throw invalid('From must not be after to', 'from');
    if (length > limits.calendarDays)
      throw invalid(`A calendar has at most ${limits.calendarDays} days`, 'to');
  }

  /**
   * Reads several calendars of one user together, all of tasks or none. Oldest first, one entry for every day of the
   * range. `timeZone` is null if it is known that the user has none.
   */
  async ofEach(
    userId: string,
    calendars: WantedCalendar[],
    { timeZone }: { timeZone?: string | null } = {},
  ): Promise<DayActivity[][]> {
    // Starts a day early: the day before a range decides the effect of its first day.
    const wanted = calendars.map(({ taskId, from, to }) => ({
      taskId,
      first: numberOf(from) - 1,
      last: numberOf(to),
    }));
    const active = await activeDays(this.database.query<CompletionTables>(), userId, wanted, (bytes) =>
      this.database.noteRead(bytes),
    );
    const { today } = await this.days.of(userId, { timeZone });
    return calendars.map((calendar) => entriesOf(calendar, active, today));
  }

  /** One day of the user, of all tasks. */
  async day(userId: string, day: Day): Promise<DayActivity | undefined> {
    const [entries] = await this.ofEach(userId, [{ taskId: null, from: day, to: day }]);
    return entries?.[0];
  }
}

function entriesOf({ taskId, from, to }: WantedCalendar, active: ActiveDays, today: Day): DayActivity[] {
  const days = active.get(taskId);
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
    const number = numberOf(from) + index;
    const date = daysAfter(from, index);
    const { completions = 0, points = '0', firstCompletedAt = null } = days?.get(number) ?? {};
    const isDone = completions > 0;
    const isDayBeforeDone = days?.has(number - 1) ?? false;
    const streak = effectOf({ isDone, isDayBeforeDone, isOver: date < today });
    return { date, completions, points: Number(points), firstCompletedAt, streak };
  });
}

/** Days since 1970. */
const numberOf = (day: Day) => daysBetween('1970-01-01', day);
