import type { GivenSchedule, ScheduleInput } from '../schedules/schedule.input.js';
import type { Period, Weekday } from '../schedules/schedule.js';
import { WEEKDAYS, weekdaysIn } from '../schedules/schedule.js';

/** As docs/export.schema.json has it: exactly one of the three, and all seven weekdays for every day. */
interface FileSchedule {
  weekdays?: Weekday[];
  every?: number;
  times?: { times: number; per: Period };
}

export function fileScheduleOf({ weekdays, everyDays, times, period }: GivenSchedule): FileSchedule {
  if (everyDays !== null) return { every: everyDays };
  if (times !== null && period !== null) return { times: { times, per: period } };
  return { weekdays: weekdays === null ? [...WEEKDAYS] : weekdaysIn(weekdays) };
}

/** Of a task in a file, which may hold anything; the rule for schedules looks at it afterwards. */
export function withScheduleOfFile(task: object): object {
  const { schedule } = task as { schedule?: unknown };
  if (typeof schedule !== 'object' || schedule === null) return task;
  const { weekdays, every, times } = schedule as Partial<Record<keyof FileSchedule, unknown>>;
  const { times: count, per: period } = (times ?? {}) as { times?: unknown; per?: unknown };
  const isEveryDay = Array.isArray(weekdays) && WEEKDAYS.every((each) => weekdays.includes(each));
  const given: Partial<Record<keyof ScheduleInput, unknown>> = {
    ...(isEveryDay ? { everyDay: true } : weekdays != null && { weekdays }),
    ...(every != null && { everyDays: every }),
    ...(times != null && { timesPer: typeof times === 'object' ? { count, period } : times }),
  };
  return { ...task, schedule: given };
}
