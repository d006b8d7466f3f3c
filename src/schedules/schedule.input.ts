import 'reflect-metadata';
import { Extensions, Field, Float, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { limits, Whole, written } from '../validation.js';
import { type Schedule as DueBy, EVERY_DAY, isEveryDay, Period, WEEKDAYS, Weekday } from './schedule.js';
import { TargetKind, type TargetOfTask, TargetPeriod } from './target.js';

const named = WEEKDAYS.map((name) => [
  name,
  { description: `${name.charAt(0)}${name.slice(1).toLowerCase()}.` },
]);

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
    EVERY_DAY: { description: 'The task is due every day: `weekdays` has all seven.' },
    WEEKDAYS: { description: 'The task is due on some weekdays: `weekdays` names them.' },
    INTERVAL: {
      description: 'The task is due again a number of days after it was last kept: `every` is that number.',
    },
    TIMES: {
      description:
        'The task is due on a number of days in each week or month: `times` is that number, `per` the period.',
    },
  },
});

const { everyDays, timesPerWeek, timesPerMonth } = limits;

@ObjectType({
  simpleResolvers: true,
  description:
    'When a task is due: on weekdays, at an interval of days, or a number of times a week or month.',
})
export class Schedule {
  @Field(() => ScheduleKind, { description: 'Which kind of schedule this is.' })
  kind!: ScheduleKind;

  @Field(() => [Weekday], {
    nullable: true,
    description:
      'The weekdays on which the task is due, all seven for every day. Null for other kinds of schedules.',
  })
  weekdays!: Weekday[] | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For interval schedules: the number of days from one kept day to the next due day. Null for other schedules.',
  })
  every!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For a number of times: on how many days of each period the task is to be kept. Null for other schedules.',
  })
  times!: number | null;

  @Field(() => Period, {
    nullable: true,
    description: 'For a number of times: the period that `times` counts in. Null for other schedules.',
  })
  per!: Period | null;
}

export function shown(schedule: DueBy): Schedule {
  const nothing = { weekdays: null, every: null, times: null, per: null };
  if (schedule.kind === 'every') return { ...nothing, kind: 'INTERVAL', every: schedule.days };
  if (schedule.kind === 'times')
    return { ...nothing, kind: 'TIMES', times: schedule.times, per: schedule.per };
  const kind = isEveryDay(schedule) ? 'EVERY_DAY' : 'WEEKDAYS';
  return { ...nothing, kind, weekdays: [...schedule.weekdays] };
}

@InputType({ description: 'A number of kept days in each week or month.' })
class TimesInput {
  @Field(() => Int, {
    description: `How many days: 1 to ${timesPerWeek} a week, 1 to ${timesPerMonth} a month.`,
  })
  times!: number;

  @Field(() => Period, { description: 'The period: a week or a month.' })
  per!: Period;
}

@Extensions({ isOneOf: true })
@InputType({ description: 'When a task is due. Give exactly one of the three.' })
export class ScheduleInput {
  @Field(() => [Weekday], {
    nullable: true,
    description: 'The weekdays on which the task is due: at least one.',
  })
  weekdays?: Weekday[] | null;

  @Field(() => Int, {
    nullable: true,
    description: `The number of days from one kept day to the next due day: ${everyDays.min} to ${everyDays.max}.`,
  })
  every?: number | null;

  @Field(() => TimesInput, { nullable: true, description: 'A number of days in each week or month.' })
  times?: TimesInput | null;
}

/** All of it, since a file that is imported has passed no types of GraphQL. */
export const ScheduleRule = () =>
  Whole('schedule', ({ weekdays, every, times }: Partial<Record<keyof ScheduleInput, unknown>>) => {
    const given = [weekdays, every, times].filter((each) => each !== null && each !== undefined);
    if (given.length !== 1) return 'must have exactly one of weekdays, every and times';
    if (given[0] === every)
      return isWithin(every, everyDays)
        ? undefined
        : `must be every ${everyDays.min} to ${everyDays.max} days`;
    if (given[0] === times) return timesProblem(times as object);
    const isWeek = Array.isArray(weekdays) && weekdays.every((each) => WEEKDAYS.includes(each));
    return isWeek && weekdays.length > 0 ? undefined : 'must name at least one weekday';
  });

function timesProblem({ times, per }: { times?: unknown; per?: unknown }): string | undefined {
  if (per !== Period.WEEK && per !== Period.MONTH) return 'must be so many times a week or month';
  const max = per === 'WEEK' ? timesPerWeek : timesPerMonth;
  return isWithin(times, { min: 1, max }) ? undefined : `must be 1 to ${max} times a ${per.toLowerCase()}`;
}

const isWithin = (value: unknown, { min, max }: { min: number; max: number }) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** Null is every day. The rule above has admitted it. */
export function scheduleFrom(input: ScheduleInput | null): DueBy {
  if (typeof input?.every === 'number') return { kind: 'every', days: input.every };
  if (input?.times) return { kind: 'times', times: input.times.times, per: input.times.per };
  const { weekdays } = input ?? {};
  return weekdays
    ? { kind: 'weekdays', weekdays: WEEKDAYS.filter((each) => weekdays.includes(each)) }
    : EVERY_DAY;
}

/** As `scheduleFrom` reads it. */
export function inputOf(schedule: DueBy): ScheduleInput {
  if (schedule.kind === 'every') return { every: schedule.days };
  if (schedule.kind === 'times') return { times: { times: schedule.times, per: schedule.per } };
  return { weekdays: [...schedule.weekdays] };
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
    description: `The amount: more than 0, or for a limit also 0, at most ${written(limits.amount)}, with three decimals at most.`,
  })
  amount!: number;

  @Field({ description: `What is counted, such as glasses: 1 to ${limits.unit} characters.` })
  unit!: string;

  @Field(() => TargetKind, {
    nullable: true,
    defaultValue: TargetKind.AT_LEAST,
    description:
      'Whether the amount must be reached, or must not be exceeded. It can change only while the task has no completions.',
  })
  kind?: TargetKind | null;

  @Field(() => TargetPeriod, {
    nullable: true,
    defaultValue: TargetPeriod.DAY,
    description:
      'The period over which amounts are added up. A week or month needs the schedule of every day, and a completion without an amount then adds 1.',
  })
  per?: TargetPeriod | null;
}

/** The rule for targets has admitted it. */
export const targetFrom = ({ amount, unit, kind, per }: TargetInput): TargetOfTask => ({
  amount,
  unit,
  kind: kind ?? 'AT_LEAST',
  per: per ?? 'DAY',
});
