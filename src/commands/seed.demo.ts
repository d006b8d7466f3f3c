import { type Day, dayOf, daysAfter, numberOf, weekdayOf } from '../schedules/day.js';
import { periodAround, WEEKDAYS, type Weekday } from '../schedules/schedule.js';
import { FORMAT } from '../takeout/import.input.js';
import type { CreateHabitInput } from '../tasks/task.input.js';

/** Who `npm run db:seed -- --demo` makes. */
export const DEMO = { name: 'Robin', email: 'demo@example.org', password: 'demo-habits' } as const;

const YEAR = 365;

/** Days before today. */
const VACATION = { from: 121, until: 107 };
const KNEE = { from: 70, until: 58 };
const ILL = [42, 41, 40];

interface Moment {
  day: Day;
  ago: number;
  weekday: Weekday;
  random: Random;
  /** Days since the habit was last done. */
  since: number;
  /** Whether it was done in this week or month already. */
  isDoneIn: (period: 'WEEK' | 'MONTH') => boolean;
}

interface Habit extends Partial<CreateHabitInput> {
  title: string;
  /** In UTC. */
  hour: number;
  isDone: (moment: Moment) => boolean;
  /** What was done on a day, in one or several turns. */
  amounts?: (moment: Moment) => number[];
  notes?: string[];
  archivedAgo?: number;
}

const often = (chance: number, goodRun: number) => (moment: Moment) =>
  moment.ago < goodRun || moment.random.chance(chance);

const HABITS: Habit[] = [
  {
    ...{
      title: 'Floss',
      icon: '🦷',
      colour: 'TEAL',
      tags: ['Health'],
      points: 2,
      isDailyRoutine: true,
      hour: 21,
    },
    isDone: often(0.9, 24),
  },
  {
    ...{ title: 'Gym', icon: '🏋️', colour: 'RED', tags: ['Health', 'Sport'], points: 15, hour: 17 },
    schedule: { weekdays: ['MONDAY', 'WEDNESDAY', 'FRIDAY'] },
    isDone: ({ ago, weekday, random }) => {
      const isDay = ['MONDAY', 'WEDNESDAY', 'FRIDAY'].includes(weekday);
      const isHurt = ago <= KNEE.from && ago >= KNEE.until;
      return !isHurt && ago > 0 && (isDay ? ago < 20 || random.chance(0.84) : random.chance(0.03));
    },
    notes: ['New record on the bench', 'Short one', 'With Sam'],
  },
  {
    ...{ title: 'Drink water', icon: '💧', colour: 'CYAN', tags: ['Health'], points: 1, hour: 8 },
    target: { amount: 8, unit: 'glasses' },
    isDone: () => true,
    amounts: ({ ago, random }) => {
      if (ago === 0) return [3];
      const rest = ago < 13 || random.chance(0.8) ? 3 : random.whole(0, 2);
      return [2, 3, rest].filter((amount) => amount > 0);
    },
  },
  {
    ...{ title: 'Read', icon: '📖', colour: 'INDIGO', tags: ['Mind'], points: 5, hour: 20 },
    description: 'Twenty pages before bed.',
    target: { amount: 20, unit: 'pages' },
    isDone: ({ ago, random }) => ago > 0 && random.chance(0.82),
    amounts: ({ random }) => [random.chance(0.8) ? random.whole(20, 45) : random.whole(5, 19)],
    notes: ['Could not put it down', 'Finished the book', 'Fell asleep over it'],
  },
  {
    ...{ title: 'Call mother', icon: '📞', colour: 'PINK', tags: ['Family'], points: 10, hour: 16 },
    schedule: { times: { times: 1, per: 'WEEK' } },
    isDone: ({ ago, weekday, random, isDoneIn }) =>
      ago > 0 &&
      !isDoneIn('WEEK') &&
      random.chance(weekday === 'SUNDAY' ? 0.85 : weekday === 'SATURDAY' ? 0.4 : 0.05),
    notes: ['She is planting tomatoes', 'Dad says hello', 'Talked about the summer'],
  },
  {
    ...{ title: 'Meditate', icon: '🧘', colour: 'VIOLET', tags: ['Mind'], points: 4, hour: 6 },
    schedule: { every: 2 },
    isDone: ({ ago, since, random }) => ago > 0 && since >= 2 && (ago < 30 || random.chance(0.9)),
  },
  {
    ...{
      title: 'Look through the budget',
      icon: '🧾',
      colour: 'AMBER',
      tags: ['Home'],
      points: 20,
      hour: 10,
    },
    schedule: { times: { times: 1, per: 'MONTH' } },
    isDone: ({ ago, day, random, isDoneIn }) =>
      ago > 0 && !isDoneIn('MONTH') && day.slice(-2) >= '03' && random.chance(0.12),
    notes: ['Under budget', 'The car again'],
  },
  {
    ...{ title: 'Ukulele', icon: '🎸', colour: 'LIME', tags: ['Mind'], points: 6, hour: 19 },
    schedule: { times: { times: 3, per: 'WEEK' } },
    isDone: ({ random }) => random.chance(0.4),
    notes: ['Three chords!'],
    archivedAgo: 150,
  },
  {
    ...{ title: 'Run', icon: '🏃', colour: 'ORANGE', tags: ['Sport'], points: 8, hour: 7 },
    target: { amount: 20, unit: 'km', per: 'WEEK' },
    isDone: ({ ago, random }) => ago > 0 && random.chance(0.42),
    amounts: ({ random }) => [random.whole(8, 24) / 2],
    notes: ['Along the river', 'Rain all the way'],
  },
  {
    ...{ title: 'Coffee', icon: '☕', colour: 'AMBER', tags: ['Health'], hour: 7, section: 'Keep below' },
    target: { amount: 2, unit: 'cups', kind: 'AT_MOST' },
    isDone: ({ random }) => random.chance(0.93),
    amounts: ({ ago, random }) => Array(ago < 6 ? 2 : random.chance(0.08) ? 3 : random.whole(1, 2)).fill(1),
  },
];

const sectionAt = (hour: number) => (hour < 12 ? 'Morning' : hour < 18 ? 'Afternoon' : 'Evening');

const isLimit = ({ target }: Habit) => target?.kind === 'AT_MOST';

/** A year of somebody, as an export that ends at `now`: the same for the same day. */
export function demoDocument(now: Date) {
  const at = now.toISOString();
  const dayBefore = (ago: number) => daysAfter(dayOf(now), -ago);
  const instant = (ago: number, hour: number, minute = 0) => {
    const then = `${dayBefore(ago)}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00.000Z`;
    return then < at ? then : at;
  };
  const tasks = HABITS.map(({ points = 10, isDailyRoutine = false, archivedAgo, ...habit }, index) => {
    const { title, description, schedule, target, icon, colour, tags } = habit;
    const section = habit.section ?? sectionAt(habit.hour);
    return {
      ...{ id: index + 1, title, description, points, isDailyRoutine, schedule, target, icon, colour, tags },
      section,
      ...{ createdAt: instant(YEAR, 5, index), updatedAt: instant(YEAR, 5, index) },
      archivedAt: archivedAgo === undefined ? null : instant(archivedAgo, 12),
    };
  });
  const completions = HABITS.flatMap((habit, index) =>
    daysDone(habit, index, dayBefore).flatMap(({ ago, amounts, note }) =>
      amounts.map((amount, turn) => {
        const completedAt = instant(ago, Math.min(23, habit.hour + 4 * turn), (7 * (index + 1)) % 60);
        const ofDay = { completedAt, day: dayBefore(ago), recordedAt: completedAt };
        return {
          task: index + 1,
          points: isLimit(habit) ? 0 : (habit.points ?? 10),
          ...ofDay,
          amount,
          note: turn === 0 ? note : null,
        };
      }),
    ),
  );
  const doneOn = new Set(completions.map(({ task, day }) => `${task} ${day}`));
  const skips = [1, 2, 3, 4]
    .flatMap((task) => ILL.map((ago) => ({ task, date: dayBefore(ago), note: 'Flu' })))
    .filter(({ task, date }) => !doneOn.has(`${task} ${date}`));
  const pauses = [
    { task: null, from: dayBefore(VACATION.from), until: dayBefore(VACATION.until), note: 'Portugal' },
    { task: 2, from: dayBefore(KNEE.from), until: dayBefore(KNEE.until), note: 'Knee' },
  ];
  const account = { timeZone: 'UTC', dayStartsAt: 0, weekStartsOn: 'MONDAY' };
  return { ...FORMAT, exportedAt: at, account, tasks, challenges: [], pauses, skips, completions };
}

interface Done {
  ago: number;
  amounts: (number | null)[];
  note: string | null;
}

function daysDone(habit: Habit, index: number, dayBefore: (ago: number) => Day): Done[] {
  const random = new Random(index + 1);
  const done: Done[] = [];
  for (let ago = YEAR; ago >= (habit.archivedAgo ?? 0); ago -= 1) {
    const day = dayBefore(ago);
    const number = numberOf(day);
    const last = done.at(-1)?.ago ?? YEAR + 2;
    const isDoneIn = (period: 'WEEK' | 'MONTH') =>
      number - (last - ago) >= periodAround(number, period, 'MONDAY').first;
    const weekday = WEEKDAYS[weekdayOf(number)] ?? 'MONDAY';
    const moment = { day, ago, weekday, random, since: last - ago, isDoneIn };
    const isAway = (ago <= VACATION.from && ago >= VACATION.until) || ILL.includes(ago);
    if (!habit.isDone(moment) || isAway) continue;
    const note = habit.notes && random.chance(0.15) ? random.pick(habit.notes) : null;
    done.push({ ago, amounts: habit.amounts?.(moment) ?? [null], note });
  }
  return done;
}

/** The same numbers for the same seed (mulberry32). */
class Random {
  constructor(private state: number) {}

  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)] as T;
  }
}
