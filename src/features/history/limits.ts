import { limits } from '../../base/validation.js';

/** The limits on input and on rows of this feature. */
export const historyLimits = {
  /** Completions that are recorded by one request. */
  completionsAtOnce: 100,
  calendarDays: 366,
  statisticsDays: limits.rangeDays,
  /** Days ahead that can be skipped, and on which a pause can begin. */
  daysAhead: 366,
  /** Of one task, or of everything. */
  pauses: 1_000,
  /** Skipped days of one task. */
  skips: 2_000,
} as const;
