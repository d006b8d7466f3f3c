/** The limits on input and on rows of this feature. */
export const challengeLimits = {
  durationDays: 3_650,
  challenges: 10_000,
} as const;
