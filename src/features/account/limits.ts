/** The limits on input and on rows of this feature. */
export const accountLimits = {
  email: 320,
  passwordMin: 6,
  pictureUrl: 2_048,
  /** In characters: no name in the zone database is nearly as long. */
  timeZone: 64,
  /** Hours of the wall clock at which a user's day may begin. */
  dayStartsAt: { min: 0, max: 6 },
  apiTokens: 50,
} as const;
