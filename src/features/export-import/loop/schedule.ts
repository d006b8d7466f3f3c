import type { Colour } from '../../habits/colour.js';
import { scheduleLimits } from '../../schedules/limits.js';
import type { ScheduleInput } from '../../schedules/schedule.input.js';

const WEEK = 7;
const isMonth = (days: number) => days >= 28 && days <= 31;

/**
 * When a habit is due that Loop wants done `count` times in any so many days; null for every day. Of what Steady does
 * not know the nearest that asks for no more, as far as there is one.
 */
export function scheduleFor(
  count: number,
  days: number,
): { schedule: ScheduleInput | null; isExact: boolean } {
  const known = knownSchedule(count, days);
  if (known !== undefined) return { schedule: known, isExact: true };
  if (!(count >= 1 && days >= 1)) return { schedule: null, isExact: false };
  const perWeek = Math.floor((WEEK * count) / days);
  const every = Math.min(Math.ceil(days / count), scheduleLimits.everyDays.max);
  const schedule: ScheduleInput =
    perWeek / WEEK >= 1 / every ? { timesPer: { count: perWeek, period: 'WEEK' } } : { everyDays: every };
  return { schedule, isExact: false };
}

function knownSchedule(count: number, days: number): ScheduleInput | null | undefined {
  if (!Number.isInteger(count) || count < 1) return undefined;
  if (count >= days) return null;
  if (days === WEEK) return { timesPer: { count, period: 'WEEK' } };
  if (isMonth(days)) return { timesPer: { count, period: 'MONTH' } };
  return count === 1 && days <= scheduleLimits.everyDays.max ? { everyDays: days } : undefined;
}

/** In degrees of the colour wheel. */
const HUES: [Colour, number][] = [
  ['RED', 0],
  ['ORANGE', 25],
  ['AMBER', 40],
  ['LIME', 75],
  ['GREEN', 125],
  ['TEAL', 174],
  ['CYAN', 188],
  ['BLUE', 210],
  ['INDIGO', 235],
  ['VIOLET', 275],
  ['PINK', 335],
];

/** Below, nobody sees a hue. */
const LEAST_SATURATION = 0.15;

/** Nearest in hue to a colour such as #FF8F00. */
export function colourFor(text: string): Colour | undefined {
  const [, digits = ''] = /^#([0-9a-f]{6})$/i.exec(text.trim()) ?? [];
  if (!digits) return undefined;
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16));
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const range = most - least;
  if (range === 0 || range / most < LEAST_SATURATION) return 'GREY';
  const sextant =
    most === red
      ? (green - blue) / range
      : most === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range;
  const away = (hue: number) => Math.abs(((sextant * 60 - hue + 540) % 360) - 180);
  return HUES.reduce((best, next) => (away(next[1]) < away(best[1]) ? next : best))[0];
}
