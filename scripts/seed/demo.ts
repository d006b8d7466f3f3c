import type { CreateHabitInput } from '../../src/features/habits/task.input.js';
import type { Day } from '../../src/features/schedules/day.js';
import { built } from '../built.ts';
import habits from './demo.json' with { type: 'json' };

const { dayOf, daysAfter, numberOf, weekdayOf } =
  await built<typeof import('../../src/features/schedules/day.js')>('features/schedules/day.js');
const { FORMAT } = await built<typeof import('../../src/features/export-import/import-file.js')>(
  'features/export-import/import-file.js',
);

/** Who `npm run seed -- --demo` makes. */
export const DEMO = { name: 'Robin', email: 'demo@example.org', password: 'demo-habits' } as const;

interface Habit {
  task: Partial<CreateHabitInput> & Pick<CreateHabitInput, 'title' | 'points'>;
  /** When it is done, in UTC. */
  hour: number;
  notes?: string[];
  archivedWeeksAgo?: number;
  /** What each 1 in an amount stands for. */
  amountOfOne?: number;
  /**
   * The days of a year, a word for each week from Monday on: `x` is done, `s` is skipped, and any other letter or digit is
   * an amount, in base 36.
   */
  weeks: string[];
}

const HABITS = habits as Habit[];

const PAUSES = [
  { task: null, weeksAgo: 16, note: 'Portugal' },
  { task: 2, weeksAgo: 9, note: 'Knee' },
];

const NOTED_EVERY = 7;

const sectionAt = (hour: number) => (hour < 12 ? 'Morning' : hour < 18 ? 'Afternoon' : 'Evening');

/** A year of somebody, as an export that ends at `now`. */
export function demoDocument(now: Date) {
  const today = dayOf(now);
  const monday = (weeksAgo: number) => daysAfter(today, -weekdayOf(numberOf(today)) - 7 * weeksAgo);
  const days = HABITS.flatMap((habit, index) =>
    daysOf(habit, monday).map((day) => ({ task: index + 1, ...day })),
  );
  const begun = days.filter(({ completedAt }) => completedAt <= now.toISOString());
  const tasks = HABITS.map(({ task, hour, weeks, archivedWeeksAgo }, index) => {
    const createdAt = at(monday(weeksIn(weeks).length), 12);
    return {
      ...{
        id: index + 1,
        section: sectionAt(hour),
        isDailyRoutine: false,
        ...task,
        createdAt,
        updatedAt: createdAt,
      },
      archivedAt: archivedWeeksAgo === undefined ? null : at(monday(archivedWeeksAgo), 12),
    };
  });
  const completions = begun.flatMap(({ mark, date: day, ...completion }) =>
    mark === 's' ? [] : { ...completion, day, recordedAt: completion.completedAt },
  );
  const skips = begun.flatMap(({ mark, task, date }) => (mark === 's' ? { task, date, note: 'Flu' } : []));
  const pauses = PAUSES.map(({ weeksAgo, ...pause }) => ({
    ...pause,
    from: monday(weeksAgo),
    until: daysAfter(monday(weeksAgo - 2), -1),
  }));
  const account = { timeZone: 'UTC', dayStartsAt: 0, weekStartsOn: 'MONDAY' };
  const exportedAt = now.toISOString();
  return { ...FORMAT, exportedAt, account, tasks, challenges: [], pauses, skips, completions };
}

const at = (day: Day, hour: number) => `${day}T${String(hour).padStart(2, '0')}:00:00.000Z`;

const weeksIn = (weeks: string[]) => weeks.join(' ').split(' ');

function daysOf(
  { task, hour, weeks, notes = [], amountOfOne = 1 }: Habit,
  monday: (weeksAgo: number) => Day,
) {
  const marks = [...weeksIn(weeks).join('')];
  const first = monday(marks.length / 7 - 1);
  return marks.flatMap((mark, index) => {
    if (mark === '.') return [];
    const date = daysAfter(first, index);
    return {
      ...{ mark, date, completedAt: at(date, hour) },
      points: task.target?.kind === 'AT_MOST' ? 0 : task.points,
      amount: mark === 'x' ? null : Number.parseInt(mark, 36) * amountOfOne,
      note: (index % NOTED_EVERY === 0 && notes[index % notes.length]) || null,
    };
  });
}
