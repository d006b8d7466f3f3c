/** The limits of this feature. */
export const feedLimits = {
  /** For so many days an event is kept. */
  days: 30,
} as const;
