/** The limits on input and on rows of this feature. */
export const channelLimits = {
  channels: 20,
  /** Messages that try a channel, of one user in that time. */
  channelTests: { most: 5, minutes: 10 },
} as const;
