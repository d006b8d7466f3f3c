/** The limits on input and on rows of this feature. */
export const checkInLimits = {
  /** Of one task. */
  checkInLinks: 10,
} as const;
