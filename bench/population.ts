// When people ask: each in their own time zone, mostly in the evening.

export interface Population {
  users: number;
  /** The hours that clocks are ahead of UTC, and the share of users who live by them. */
  zones: [number, number][];
  /** A user's completions on a day, and lists for each of them. */
  completions: number;
  lists: number;
}

/** A list after each completion, and four more: shares of requests. */
export const MIX = { list: 5 / 6, completion: 1 / 6 };

/** Share of a day's requests by hour of the local clock: a small peak at breakfast, a large one in the evening. */
const HOURS = [
  1, 0.5, 0.3, 0.2, 0.3, 1, 3, 5, 5, 4, 3.5, 3.5, 4, 4, 3.5, 3.5, 4, 5, 6.5, 8.5, 10, 10, 7, 3.7,
];

const TOTAL = HOURS.reduce((sum, share) => sum + share, 0);

export const ONE_COUNTRY: [number, number][] = [[1, 1]];

/** Roughly as people with phones are spread. */
export const THE_WORLD: [number, number][] = [
  [-8, 0.05],
  [-5, 0.13],
  [-3, 0.06],
  [1, 0.18],
  [3, 0.1],
  [5, 0.2],
  [8, 0.2],
  [9, 0.08],
];

/** Requests a second in that hour of a UTC day. */
export function rateAt(hour: number, { users, zones, completions, lists }: Population): number {
  const share = zones.reduce((sum, [ahead, part]) => {
    const local = (hour + ahead + 24) % 24;
    return sum + (part * (HOURS[Math.floor(local)] ?? 0)) / TOTAL;
  }, 0);
  return (users * completions * (1 + lists) * share) / 3_600;
}
