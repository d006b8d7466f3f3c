/** The limits on input and on rows of this feature. */
export const scheduleLimits = {
  everyDays: { min: 1, max: 365 },
  timesPerWeek: 7,
  timesPerMonth: 31,
  /** Of a completion, and of a target. */
  amount: 1_000_000_000,
  unit: 30,
  points: 1_000_000_000,
  tags: 8,
  tag: 30,
  section: 30,
} as const;
