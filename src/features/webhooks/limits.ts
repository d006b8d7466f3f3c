/** The limits of this feature. */
export const webhookLimits = {
  webhooks: 10,
  url: 2_000,
  /** Deliveries that are kept of each webhook. */
  deliveries: 100,
  deliveriesShown: 20,
  /** Tests of one user in that time. */
  tests: { most: 20, minutes: 10 },
  /** A webhook that fails for so long is paused. */
  failingDays: 3,
} as const;
