import fc from 'fast-check';
import { DAY, HOUR } from '../support/wall-clock.js';
import type { Schedule } from './model.js';

const SECOND = 1_000;

/** At both ends of the world, off the hour, and with summers of one hour and of half an hour. */
const ZONES = [
  ...'UTC Pacific/Kiritimati Pacific/Honolulu Etc/GMT+12 Asia/Kolkata Asia/Kathmandu Asia/Tokyo'.split(' '),
  ...'America/Los_Angeles America/New_York America/Havana America/St_Johns Europe/Berlin'.split(' '),
  ...'Africa/Cairo Australia/Lord_Howe Pacific/Chatham Europe/Volgograd'.split(' '),
];

/** Instants lie around midnights: so many days after the step before, and so far from 00:00. */
const moment = {
  gap: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.integer({ min: 2, max: 4 }) },
  ),
  offset: fc.oneof(
    fc.constantFrom(0, 1, -1, 2, -2, 999, -999),
    fc.constantFrom(...[1, 5, 59, 60, 61].flatMap((count) => [count * SECOND, -count * SECOND])),
    fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
  ),
};

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

const schedule: fc.Arbitrary<Schedule | null> = fc.oneof(
  fc.constant(null),
  fc.record({ weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }) }),
  fc.record({
    everyDays: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom(14, 365)),
    hasGraceDay: fc.boolean(),
  }),
  fc.record({
    timesPer: fc.record({ count: fc.integer({ min: 1, max: 7 }), period: fc.constant('WEEK' as const) }),
  }),
  fc.record({
    timesPer: fc.record({
      count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(28, 31)),
      period: fc.constant('MONTH' as const),
    }),
  }),
);

const per = fc.constantFrom('DAY' as const, 'DAY' as const, 'WEEK' as const, 'MONTH' as const);

const target = fc.option(
  fc.oneof(
    fc.record({
      amount: fc.constantFrom(1, 1_000, 2_500, 8_000),
      kind: fc.constant('AT_LEAST' as const),
      per,
    }),
    fc.record({ amount: fc.constantFrom(0, 1_000, 2_500), kind: fc.constant('AT_MOST' as const), per }),
  ),
  { freq: 3 },
);

export const plan = fc.oneof(
  fc.record({ schedule, target, points }),
  fc.record({ schedule: fc.constant(null), target, points }), // since every kind of target goes with every day
);
const plain = fc.record({ schedule: fc.constant(null), target: fc.constant(null), points });

/** From today on, counted in days; the last few cannot be planned, or not yet. */
const ahead = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -6, max: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom(-9, -8, -7, 365, 366, 367) },
);

/** How long ago something was done. */
const ago = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 7 * DAY }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      HOUR,
      12 * HOUR,
      DAY,
      DAY + 1,
      DAY - 1,
      2 * DAY,
      7 * DAY,
      7 * DAY + 1,
      7 * DAY - 1,
    ),
  },
);

const doing = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('complete' as const), task, amount, ago }) },
  {
    weight: 12,
    arbitrary: fc.record({
      ...{ act: fc.constant('tap' as const), task },
      /** Requests at the same instant. */
      times: fc.constantFrom(1, 1, 1, 2, 3),
      key: fc.option(fc.constantFrom('a', 'b', 'c'), { freq: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('record' as const),
      done: fc.array(fc.record({ task, amount, ago }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('undo' as const),
      completion: fc.oneof(fc.constant(0), fc.nat(9)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('reprice' as const), task, points }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('job' as const),
      /** How far its clock is ahead of the others. */
      ahead: fc.constantFrom(0, 0, 0, 1, -1, 3 * SECOND, -3 * SECOND, HOUR, DAY, -DAY, 10 * DAY),
      runs: fc.constantFrom('once', 'twice', 'at once'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('move' as const),
      timeZone: fc.constantFrom(...ZONES),
      dayStartsAt: fc.oneof(fc.constant(0), fc.nat(6)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), task }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('restart' as const) }) },
);

const planning = fc.oneof(
  { weight: 3, arbitrary: fc.record({ act: fc.constant('schedule' as const), task, schedule }) },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('target' as const), task, target }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('skip' as const), task, ahead }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('unskip' as const), skip: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ act: fc.constant('pause' as const), task: fc.option(task, { freq: 2 }), ahead },
      length: fc.option(fc.nat(20), { freq: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('endPause' as const), pause: fc.nat(5), ahead }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('deletePause' as const), pause: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('week' as const), begins: fc.constantFrom(0, 5, 6) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('create' as const), plan }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('archive' as const), task }) },
);

const step = fc.oneof({ weight: 3, arbitrary: doing }, { weight: 2, arbitrary: planning });

const storyOf = (plans: fc.Arbitrary<Plan>, acts: fc.Arbitrary<Step>, gap: fc.Arbitrary<number>) =>
  fc.record({
    firstDay,
    /** Of the tasks that each user begins with. */
    plans: fc.array(fc.array(plans, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    /** Whether an instant may lie before that of the step before, as when one request overtakes another. */
    mayOvertake: fc.boolean(),
    steps: fc.array(fc.record({ ...moment, gap, who: fc.nat(1), what: acts }), {
      ...{ minLength: 1, size: 'max', maxLength: 24 },
    }),
  });

/** Tasks that are due every day are counted by a statement of their own, as long as nothing is planned. */
export const story = fc.oneof(
  storyOf(plain, doing, moment.gap),
  storyOf(
    plan,
    step,
    fc.oneof(
      { weight: 12, arbitrary: moment.gap },
      { weight: 1, arbitrary: fc.integer({ min: 5, max: 12 }) },
    ),
  ),
);

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type OwnStep = Exclude<Step, { act: 'job' | 'restart' }>;
export type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;
export type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;
