import 'reflect-metadata';
import { Extensions, Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { between, Whole, written } from '../../base/validation.js';
import { scheduleLimits } from './limits.js';
import { bitsOf, Period, type StoredSchedule, WEEKDAYS, Weekday, weekdaysIn } from './schedule.js';
import { TargetKind, type TargetOfTask, TargetPeriod } from './target.js';

const named = WEEKDAYS.map((name) => [name, { description: 'A day of the week, Monday being the first.' }]);

registerEnumType(Weekday, {
  name: 'Weekday',
  description: 'A day of the week.',
  valuesConfig: Object.fromEntries(named),
});

registerEnumType(Period, {
  name: 'Period',
  description: 'The length of a period: a week of the user, or a calendar month.',
  valuesConfig: {
    WEEK: { description: "A week, which begins on the first day of the user's week." },
    MONTH: { description: 'A calendar month.' },
  },
});

const ScheduleKind = {
  EVERY_DAY: 'EVERY_DAY',
  WEEKDAYS: 'WEEKDAYS',
  INTERVAL: 'INTERVAL',
  TIMES: 'TIMES',
} as const;
type ScheduleKind = keyof typeof ScheduleKind;

registerEnumType(ScheduleKind, {
  name: 'ScheduleKind',
  description: 'How a schedule says when a task is due.',
  valuesConfig: {
    EVERY_DAY: { description: 'The task is due every day: `everyDay` is true.' },
    WEEKDAYS: { description: 'The task is due on some weekdays: `weekdays` names them.' },
    INTERVAL: {
      description:
        'The task is due again a number of days after it was last kept: `everyDays` is that number.',
    },
    TIMES: {
      description: 'The task is due on a number of days in each week or month: `timesPer` says how many.',
    },
  },
});

const { everyDays: intervals, timesPerWeek, timesPerMonth } = scheduleLimits;

@ObjectType({ simpleResolvers: true, description: 'A number of kept days in each week or month.' })
export class TimesPer {
  @Field(() => Int, { description: 'How many days.' })
  count!: number;

  @Field(() => Period, { description: 'Of each week or month.' })
  period!: Period;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'When a task is due: every day, on weekdays, at an interval of days, or a number of times a week or month. The one that was given can be sent back as it was read; the others are null, and are left out then.',
})
export class Schedule {
  @Field(() => ScheduleKind, { description: 'Which kind of schedule this is.' })
  kind!: ScheduleKind;

  @Field(() => Boolean, { nullable: true, description: 'True: every day.' })
  everyDay!: true | null;

  @Field(() => [Weekday], { nullable: true, description: 'The weekdays on which the task is due.' })
  weekdays!: Weekday[] | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of days from one kept day to the next due day.',
  })
  everyDays!: number | null;

  @Field(() => TimesPer, { nullable: true, description: 'On how many days of each period it is to be kept.' })
  timesPer!: TimesPer | null;
}

export function shown({ weekdays, everyDays, times, period }: GivenSchedule): Schedule {
  const nothing = { everyDay: null, weekdays: null, everyDays: null, timesPer: null };
  if (weekdays !== null) return { ...nothing, kind: 'WEEKDAYS', weekdays: weekdaysIn(weekdays) };
  if (everyDays !== null) return { ...nothing, kind: 'INTERVAL', everyDays };
  if (times !== null && period !== null)
    return { ...nothing, kind: 'TIMES', timesPer: { count: times, period } };
  return { ...nothing, kind: 'EVERY_DAY', everyDay: true };
}

@InputType({ description: 'A number of kept days in each week or month.' })
class TimesPerInput {
  @Field(() => Int, {
    description: `How many days: 1 to ${timesPerWeek} a week, 1 to ${timesPerMonth} a month.`,
  })
  count!: number;

  @Field(() => Period, { description: 'Of each week or month.' })
  period!: Period;
}

@Extensions({ isOneOf: true })
@InputType({ description: 'When a task is due.' })
export class ScheduleInput {
  @Field(() => Boolean, { nullable: true, description: 'True: every day.' })
  everyDay?: boolean | null;

  @Field(() => [Weekday], {
    nullable: true,
    description: 'The weekdays on which the task is due: at least one.',
  })
  weekdays?: Weekday[] | null;

  @Field(() => Int, {
    nullable: true,
    description: `The number of days from one kept day to the next due day: ${between(intervals)}. 1 is every day.`,
  })
  everyDays?: number | null;

  @Field(() => TimesPerInput, { nullable: true, description: 'A number of days in each week or month.' })
  timesPer?: TimesPerInput | null;
}

/** All of it, since a file that is imported has passed no types of GraphQL. */
export const ScheduleRule = () =>
  Whole('schedule', (schedule: Partial<Record<keyof ScheduleInput, unknown>>) => {
    const { everyDay, weekdays, everyDays, timesPer } = schedule;
    const given = [everyDay, weekdays, everyDays, timesPer].filter((each) => each != null);
    // In the words of a file: GraphQL itself refuses what is not exactly one.
    if (given.length !== 1) return 'must have exactly one of weekdays, every and times';
    if (given[0] === everyDay)
      return everyDay === true
        ? undefined
        : 'can have no everyDay but true: give another kind of schedule instead';
    if (given[0] === everyDays)
      return isWithin(everyDays, intervals)
        ? undefined
        : `must be every ${intervals.min} to ${intervals.max} days`;
    if (given[0] === timesPer) return timesProblem(timesPer as object);
    const isWeek = Array.isArray(weekdays) && weekdays.every((each) => WEEKDAYS.includes(each));
    return isWeek && weekdays.length > 0 ? undefined : 'must name at least one weekday';
  });

function timesProblem({ count, period }: { count?: unknown; period?: unknown }): string | undefined {
  if (period !== Period.WEEK && period !== Period.MONTH) return 'must be so many times a week or month';
  const max = period === 'WEEK' ? timesPerWeek : timesPerMonth;
  return isWithin(count, { min: 1, max }) ? undefined : `must be 1 to ${max} times a ${period.toLowerCase()}`;
}

const isWithin = (value: unknown, { min, max }: { min: number; max: number }) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** What an input says of it. */
export type GivenSchedule = Omit<StoredSchedule, 'hasGraceDay'>;

/** Null is every day. The rule above has admitted it. */
export function storedFrom(input: ScheduleInput | null): GivenSchedule {
  const { weekdays, everyDays = null, timesPer } = input ?? {};
  return {
    weekdays: weekdays ? bitsOf(weekdays) : null,
    everyDays,
    times: timesPer?.count ?? null,
    period: timesPer?.period ?? null,
  };
}

registerEnumType(TargetKind, {
  name: 'TargetKind',
  description: 'Whether the amount of a target must be reached, or must not be exceeded.',
  valuesConfig: {
    AT_LEAST: { description: 'A goal: the amount must be reached.' },
    AT_MOST: {
      description: 'A limit: the amount must not be exceeded. A limit asks for nothing, and earns no points.',
    },
  },
});

registerEnumType(TargetPeriod, {
  name: 'TargetPeriod',
  description: 'The period over which the amounts of a target are added up.',
  valuesConfig: {
    DAY: { description: 'Each day.' },
    WEEK: { description: "A week, which begins on the first day of the user's week." },
    MONTH: { description: 'A calendar month.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'The amount that completions must reach, or for a limit must not exceed.',
})
export class Target implements TargetOfTask {
  @Field(() => Float, { description: 'The amount.' })
  amount!: number;

  @Field({ description: 'What is counted, such as glasses.' })
  unit!: string;

  @Field(() => TargetKind, { description: 'Whether the amount must be reached, or must not be exceeded.' })
  kind!: TargetKind;

  @Field(() => TargetPeriod, { description: 'The period over which amounts are added up.' })
  per!: TargetPeriod;
}

@InputType({ description: 'The amount that completions must reach, or for a limit must not exceed.' })
export class TargetInput {
  @Field(() => Float, {
    description: `The amount: more than 0, or for a limit also 0, at most ${written(scheduleLimits.amount)}, with three decimals at most.`,
  })
  amount!: number;

  @Field({ description: `What is counted, such as glasses: 1 to ${scheduleLimits.unit} characters.` })
  unit!: string;

  @Field(() => TargetKind, {
    defaultValue: TargetKind.AT_LEAST,
    description:
      'Whether the amount must be reached, or must not be exceeded. It can change only while the task has no completions.',
  })
  kind: TargetKind = 'AT_LEAST';

  @Field(() => TargetPeriod, {
    defaultValue: TargetPeriod.DAY,
    description:
      'The period over which amounts are added up. A week or month needs the schedule of every day, and a completion without an amount then adds 1.',
  })
  per: TargetPeriod = 'DAY';
}

/** The rule for targets has admitted it. */
export const targetFrom = ({ amount, unit, kind, per }: TargetInput): TargetOfTask => ({
  amount,
  unit,
  kind: kind ?? 'AT_LEAST',
  per: per ?? 'DAY',
});
