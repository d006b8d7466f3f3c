/** The limits on rows and answers of this feature. */
export const calendarFeedLimits = {
  /** Of one user. */
  calendarFeeds: 10,
  /** Days before today, and as many after it, that a calendar shows. */
  daysAround: 30,
  /** Of one calendar: those nearest to today. */
  entries: 2_000,
} as const;
