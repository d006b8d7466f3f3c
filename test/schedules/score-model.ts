import type { Day, Period } from './paper.js';

/** How much was done of what was asked for, and for how many days that stands. */
export interface Asked {
  share: number;
  days: number;
}

/** Each moves the score towards its share: half of the way in 13 days, in more of them the farther apart they are. */
export function scored(apart: number, today: Day, askedIn: (range: Period) => Asked[]): number {
  const half = 13 * Math.sqrt(apart);
  let score = 0;
  for (const { share, days } of askedIn({ from: today + 1 - Math.ceil(10 * half), to: today }))
    score += (Math.min(1, share) - score) * (1 - 0.5 ** (days / half));
  return Math.round(score * 1_000) / 1_000;
}
