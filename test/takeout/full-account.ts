import { expect } from 'vitest';
import { challengeLimits } from '../../src/features/challenges/limits.js';
import { Colour } from '../../src/features/habits/colour.js';
import { habitLimits } from '../../src/features/habits/limits.js';
import { historyLimits } from '../../src/features/history/limits.js';
import { daysAfter } from '../../src/features/schedules/day.js';
import { scheduleLimits } from '../../src/features/schedules/limits.js';
import { WEEKDAYS } from '../../src/features/schedules/schedule.js';
import { FORMAT } from '../../src/features/takeout/import-file.js';
import { driftsOf } from '../support/drifts.js';
import { world } from '../support/world.js';
import { comparable, exported } from './exported.js';

const NOW = '2026-11-21T12:00:00.000Z';
const FIRST = '2010-01-01';

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: Math.round(count) }, (_, index) => make(index));
const at = (day: string, index = 0) => `${day}T08:00:00.${String(index % 1_000).padStart(3, '0')}Z`;

const PLANS = [
  { schedule: { weekdays: WEEKDAYS } },
  { schedule: { weekdays: ['MONDAY', 'SATURDAY'] } },
  { schedule: { every: 3 } },
  { schedule: { times: { times: 2, per: 'WEEK' } } },
  {
    schedule: { weekdays: WEEKDAYS },
    target: { amount: 8.125, unit: 'glasses', kind: 'AT_LEAST', per: 'WEEK' },
  },
  { schedule: { weekdays: WEEKDAYS }, target: { amount: 2, unit: 'cups', kind: 'AT_MOST', per: 'DAY' } },
];
const isLimit = (task: number) => task % PLANS.length === PLANS.length - 1;

/** Five times, and no two tasks with the same: what rings next is reckoned for each. */
const remindersOf = (task: number) =>
  list(habitLimits.reminders, (index) => {
    const minute = (task * habitLimits.reminders + index) % 1_440;
    const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) =>
      String(part).padStart(2, '0'),
    );
    return { at: `${hours}:${minutes}`, weekdays: index % 2 ? ['SUNDAY'] : WEEKDAYS };
  });

/** Everything that an account may have, at its limits or a part of these. */
function fileOf(part: number) {
  const count = Math.round(habitLimits.tasks * part);
  const tasks = list(count, (index) => ({
    ...{ id: index + 1, title: `Habit ${index} "é" 😀`, description: `Why\n${index}`, points: 1 + index / 8 },
    ...{ isDailyRoutine: index % 2 === 0, challengeTemplateId: null, challengeTemplateTitle: null },
    ...{
      createdAt: at(FIRST, index),
      updatedAt: at(FIRST, index),
      archivedAt: index % 9 ? null : at(FIRST, index),
    },
    ...{ target: null, ...PLANS[index % PLANS.length], colour: Object.keys(Colour)[index % 12], icon: '👟' },
    ...{
      tags: list(scheduleLimits.tags, (tag) => `tag ${tag}`),
      section: index % 3 ? `Part ${index % 30}` : null,
    },
    reminders: remindersOf(index),
  }));
  const challenges = list(challengeLimits.challenges * part, (index) => ({
    ...{ templateId: 1, status: index % 2 ? 'COMPLETED' : 'ABANDONED' },
    ...{
      startDate: at(daysAfter(FIRST, index % 5_000), index),
      completedAt: index % 2 ? at('2026-11-01') : null,
    },
    ...{ notes: index % 3 ? null : 'Well "done"', createdAt: at(FIRST, index), updatedAt: at('2026-11-01') },
  }));
  const ofTask = (index: number) => (index % count) + 1;
  const dayOf = (index: number, every: number) => daysAfter(FIRST, Math.floor(index / count) * every);
  const pauses = list(49_000 * part, (index) => ({
    task: ofTask(index),
    ...{ from: dayOf(index, 3), until: daysAfter(dayOf(index, 3), 1), note: index % 9 ? null : 'Sea' },
  }));
  const allPaused = list(historyLimits.pauses * part, (index) => ({
    ...{ task: null, from: daysAfter(FIRST, 2 * index), until: daysAfter(FIRST, 2 * index), note: null },
  }));
  const skips = list(100_000 * part, (index) => ({ task: ofTask(index), date: dayOf(index, 1), note: null }));
  const completions = list(20_000 * part, (index) => ({
    ...{
      task: ofTask(index),
      points: isLimit(index % count) ? 0 : 2.5,
      completedAt: at(dayOf(index, 5), index),
    },
    ...{ day: dayOf(index, 5), recordedAt: at(dayOf(index, 5), index), amount: 1.5 },
    ...(index % 7 === 0 && { note: 'A "sip"' }),
  }));
  return {
    ...FORMAT,
    account: {
      timeZone: 'Europe/Berlin',
      dayStartsAt: 3,
      weekStartsOn: 'SUNDAY',
      language: 'DE',
      dayReminder: '21:00',
    },
    ...{ tasks, challenges, pauses: [...allPaused, ...pauses], skips, completions },
  };
}

/** Has an account hold so much of what it may, takes it along, and brings it into another one. */
export async function bringsAlong(part: number): Promise<void> {
  const here = await world();
  here.clock.set(NOW);
  const [ana, bea] = [await here.newUser(), await here.newUser()];
  const file = fileOf(part);
  const counts = {
    ...{ tasks: file.tasks.length, challenges: file.challenges.length, completions: file.completions.length },
  };
  const made = await ana.rest.post('/account/import', file);
  expect([made.status, made.body]).toEqual([201, counts]);
  const taken = await exported(ana);
  expect([taken.tasks.length, taken.skips.length, taken.pauses.length]).toEqual([
    ...[file.tasks.length, file.skips.length, file.pauses.length],
  ]);
  expect(
    taken.tasks.every(({ reminders }: { reminders: object[] }) => reminders.length === habitLimits.reminders),
  ).toBe(true);
  const brought = await bea.rest.post('/account/import', taken);
  expect([brought.status, brought.body]).toEqual([201, counts]);
  expect(comparable(await exported(bea))).toEqual(comparable(taken));
  expect(await driftsOf(here, bea)).toEqual([]);
}
