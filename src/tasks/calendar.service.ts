import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { invalid } from '../errors.js';
import { type Day, dayOf, daysAfter, daysBetween } from '../streaks/day.js';
import { effectOf, type StreakEffect } from '../streaks/streak.js';
import { limits } from '../validation.js';
import { activeDays } from './calendar.queries.js';
import type { TaskTables } from './task.queries.js';

/** A UTC day of a user. */
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

export class CalendarService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  refuseUnlessPossible({ from, to }: CalendarRange): void {
    const length = daysBetween(from, to) + 1;
    if (length < 1) throw invalid('From must not be after to', 'from');
    if (length > limits.calendarDays)
      throw invalid(`A calendar has at most ${limits.calendarDays} days`, 'to');
  }

  /** Reads several calendars of one user together. Oldest first, one entry for every day of the range. */
  async ofEach(userId: string, ranges: CalendarRange[]): Promise<DayActivity[][]> {
    // Starts a day early: the day before a range decides the effect of its first day.
    const wanted = ranges.map(({ from, to }) => ({ first: numberOf(from) - 1, last: numberOf(to) }));
    const active = await activeDays(this.database.query<TaskTables>(), userId, wanted, (bytes) =>
      this.database.noteRead(bytes),
    );
    const today = dayOf(this.clock.now());
    return ranges.map(({ from, to }) =>
      Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
        const number = numberOf(from) + index;
        const date = daysAfter(from, index);
        const { completions = 0, points = '0', firstCompletedAt = null } = active.get(number) ?? {};
        const isDayBeforeDone = active.has(number - 1);
        const streak = effectOf({ isDone: active.has(number), isDayBeforeDone, isOver: date < today });
        return { date, completions, points: Number(points), firstCompletedAt, streak };
      }),
    );
  }
}

/** Days since 1970. */
const numberOf = (day: Day) => daysBetween('1970-01-01', day);
