/** The limits on input and on rows of this feature. */
export const habitLimits = {
  /** Per user. */
  tasks: 2_000,
  /** Of one task. */
  reminders: 5,
} as const;
