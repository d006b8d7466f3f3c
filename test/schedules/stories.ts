import fc from 'fast-check';
import { DAY, HOUR } from '../support/wall-clock.js';
import type { Schedule } from './model.js';

/** At both ends of the world, off the hour, and with summers of one hour and of half an hour. */
const ZONES = [
  ...'UTC Pacific/Kiritimati Pacific/Honolulu Etc/GMT+12 Asia/Kolkata Asia/Kathmandu Asia/Tokyo'.split(' '),
  ...'America/Los_Angeles America/New_York America/Havana America/St_Johns Europe/Berlin'.split(' '),
  ...'Africa/Cairo Australia/Lord_Howe Pacific/Chatham Europe/Volgograd'.split(' '),
];

const weighed = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

/** Instants lie around midnights: so many days after the step before, and so far from 00:00. */
const gap = fc.oneof(
  weighed(8, fc.constant(0)),
  weighed(6, fc.constant(1)),
  weighed(3, fc.integer({ min: 2, max: 4 })),
);
const offset = fc.oneof(
  fc.constantFrom(...[0, 1, 2, 999, 5_000, 59_000, 60_000, 61_000].flatMap((ms) => [ms, -ms])),
  fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
);

/** Among others, months and years that end. */
const firstDay = fc.constantFrom(
  ...['2026-11-21', '2026-12-30', '2027-02-26', '2028-02-26', '1999-12-30'],
  // Around the clock changes of America, of Europe, of Lord Howe, and the new time of Volgograd.
  ...['2026-10-30', '2027-03-12', '2026-10-23', '2027-03-26', '2027-04-02', '2020-12-25'],
);

const task = fc.nat(3);

/** In thousandths, like amounts. */
const points = fc.constantFrom(100, 200, 2_500, 7_125, 10_000, 1_000_000_000);
const amount = fc.option(fc.constantFrom(1, 125, 500, 1_000, 2_500, 8_000), { freq: 2 });

const timesPer = <Kind extends 'WEEK' | 'MONTH'>(period: Kind, count: fc.Arbitrary<number>) =>
  fc.record({ timesPer: fc.record({ count, period: fc.constant(period) }) });

const schedule: fc.Arbitrary<Schedule | null> = fc.oneof(
  fc.constant(null),
  fc.record({ weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }) }),
  fc.record({
    everyDays: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(14, 365)),
    hasGraceDay: fc.boolean(),
  }),
  timesPer('WEEK', fc.integer({ min: 1, max: 7 })),
  timesPer('MONTH', fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(28, 31))),
);

const targetOf = <Kind extends 'AT_LEAST' | 'AT_MOST'>(kind: Kind, ...amounts: number[]) =>
  fc.record({
    amount: fc.constantFrom(...amounts),
    kind: fc.constant(kind),
    per: fc.constantFrom('DAY' as const, 'DAY' as const, 'WEEK' as const, 'MONTH' as const),
  });
const target = fc.option(
  fc.oneof(targetOf('AT_LEAST', 1, 1_000, 2_500, 8_000), targetOf('AT_MOST', 0, 1_000, 2_500)),
  { freq: 3 },
);

export const plan = fc.oneof(
  fc.record({ schedule, target, points }),
  fc.record({ schedule: fc.constant(null), target, points }), // since every kind of target goes with every day
);
const plain = fc.record({ schedule: fc.constant(null), target: fc.constant(null), points });

/** From today on, counted in days; the last few cannot be planned, or not yet. */
const ahead = fc.oneof(
  weighed(12, fc.integer({ min: -6, max: 12 })),
  weighed(1, fc.constantFrom(-9, -8, -7, 365, 366, 367)),
);

/** How long ago something was done. */
const ago = fc.oneof(
  weighed(3, fc.constant(0)),
  weighed(4, fc.integer({ min: 0, max: 7 * DAY })),
  weighed(
    2,
    fc.constantFrom(HOUR, 12 * HOUR, 2 * DAY, ...[DAY, 7 * DAY].flatMap((at) => [at - 1, at, at + 1])),
  ),
);

const act = <Name extends string, Fields extends object>(
  weight: number,
  name: Name,
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
) =>
  weighed(
    weight,
    fc.record(fields).map((each) => ({ act: name, ...each }) as { act: Name } & Fields),
  );

const doing = fc.oneof(
  act(4, 'complete', { task, amount, ago }),
  act(12, 'tap', {
    task,
    times: fc.constantFrom(1, 1, 1, 2, 3), // requests at the same instant
    key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4 }),
  }),
  act(4, 'record', { done: fc.array(fc.record({ task, amount, ago }), { minLength: 1, maxLength: 3 }) }),
  act(3, 'undo', { completion: fc.oneof(fc.constant(0), fc.nat(9)) }),
  act(1, 'reprice', { task, points }),
  act(4, 'job', {
    /** How far its clock is ahead of the others. */
    ahead: fc.constantFrom(0, 0, 0, 1, -1, 3_000, -3_000, HOUR, DAY, -DAY, 10 * DAY),
    runs: fc.constantFrom('once', 'twice', 'at once'),
  }),
  act(2, 'move', {
    timeZone: fc.constantFrom(...ZONES),
    dayStartsAt: fc.oneof(fc.constant(0), fc.nat(6)),
  }),
  act(1, 'delete', { task }),
  act(1, 'restart', {}),
);

const planning = fc.oneof(
  act(3, 'schedule', { task, schedule }),
  act(2, 'target', { task, target }),
  act(4, 'skip', { task, ahead }),
  act(1, 'unskip', { skip: fc.nat(5) }),
  act(3, 'pause', {
    task: fc.option(task, { freq: 2 }),
    ahead,
    length: fc.option(fc.nat(20), { freq: 3 }),
  }),
  act(2, 'endPause', { pause: fc.nat(5), ahead }),
  act(1, 'deletePause', { pause: fc.nat(5) }),
  act(1, 'week', { begins: fc.constantFrom(0, 5, 6) }),
  act(1, 'create', { plan }),
  act(1, 'archive', { task }),
);

const step = fc.oneof(weighed(3, doing), weighed(2, planning));

const storyOf = (plans: fc.Arbitrary<Plan>, acts: fc.Arbitrary<Step>, gaps: fc.Arbitrary<number>) =>
  fc.record({
    firstDay,
    /** Of the tasks that each user begins with. */
    plans: fc.array(fc.array(plans, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    /** Whether an instant may lie before that of the step before, as when one request overtakes another. */
    mayOvertake: fc.boolean(),
    steps: fc.array(fc.record({ gap: gaps, offset, who: fc.nat(1), what: acts }), {
      ...{ minLength: 1, size: 'max', maxLength: 24 },
    }),
  });

/** Tasks that are due every day are counted by a statement of their own, as long as nothing is planned. */
export const story = fc.oneof(
  storyOf(plain, doing, gap),
  storyOf(plan, step, fc.oneof(weighed(12, gap), weighed(1, fc.integer({ min: 5, max: 12 })))),
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type OwnStep = Exclude<Step, { act: 'job' | 'restart' }>;
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;
export type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;
