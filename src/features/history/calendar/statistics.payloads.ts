import 'reflect-metadata';
import { Arg, Field, FieldResolver, Float, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { CalendarDate } from '../../../graphql/scalars.js';
import { type Day, dayAt } from '../../schedules/day.js';
import { Period, Weekday } from '../../schedules/schedule.js';
import type { PeriodSums, Statistics } from '../../schedules/statistics.js';

const AMOUNTS =
  'The sum of the amounts. Without a target, of those completions that have an amount; 0 without any.';

/** Of some days of the range. */
@ObjectType({ simpleResolvers: true, description: 'What became of some days of the range.' })
abstract class Sums {
  @Field(() => Int, { description: 'The number of completions.' })
  completionCount!: number;

  @Field(() => Float, { description: AMOUNTS })
  amount!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How a task went on one weekday, over all weeks of a range.',
})
class WeekdayStatistics extends Sums {
  @Field(() => Weekday, { description: 'The weekday.' })
  weekday!: Weekday;

  @Field(() => Int, {
    description:
      'Days on this weekday that were kept. For a target of a week or month: on which something was done.',
  })
  keptCount!: number;

  @Field(() => Int, { description: 'Days on which the task was due; 0 where a week or month is asked for.' })
  dueCount!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How a task went in one week or month of a range.',
})
class PeriodStatistics extends Sums {
  @Field(() => CalendarDate, { description: 'The first day of the period.' })
  from!: Day;

  @Field(() => CalendarDate, { description: 'The last day of the period.' })
  to!: Day;

  @Field(() => Int, {
    description:
      'Days that were kept. For a target or limit of this kind of period: 1 if the period was kept.',
  })
  keptCount!: number;

  @Field(() => Int, {
    description:
      'Days on which the task was due in this period. For a number of times in this kind of period: that number. For a target or limit of it: 1. Where another kind of period is asked for: 0. As in `dueDays`, a period asks for nothing while it goes on and is not kept, or if it ends after the range.',
  })
  dueCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How a task went over a range of days.' })
export class TaskStatistics {
  @Field(() => Int, {
    description:
      'Days on which the task was due, without skipped and paused days. Today counts once it is kept. For a number of times: how many days the weeks or months ask for. For a target of a week or month: the weeks or months. For limits: the days or periods that are over and not neutral.',
  })
  dueDays!: number;

  @Field(() => Int, {
    description:
      'Days on which the task was kept, due or not. For a target of a week or month: days on which something was done. For limits: the due days or periods that were within the limit.',
  })
  keptDays!: number;

  @Field(() => Int, {
    description:
      'Due days that were not kept, on which nothing was done or too little: MISSED or PARTIAL. For a number of times: how many days were missing. For a target of a week or month: the weeks or months that fell short. For limits: the due days or periods that exceeded the limit.',
  })
  missedDays!: number;

  @Field(() => Int, { description: 'Days that were skipped or paused, and not kept.' })
  neutralDays!: number;

  @Field(() => Int, { description: 'The number of completions.' })
  completionCount!: number;

  @Field(() => Float, { description: 'The points that the completions earned.' })
  points!: number;

  @Field(() => Float, { description: AMOUNTS })
  amount!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The share of what was due that was kept: 1 is all of it; null if nothing was due.',
  })
  rate!: number | null;

  @Field(() => [WeekdayStatistics], {
    description: "The seven weekdays, beginning with the first day of the user's week.",
  })
  byWeekday!: WeekdayStatistics[];
}

@Resolver(() => TaskStatistics)
export class TaskStatisticsFields {
  @FieldResolver(() => [PeriodStatistics], {
    description: 'Every week or month that the range touches, oldest first.',
  })
  by(
    @Root() statistics: Statistics,
    @Arg('period', () => Period, { description: 'Weeks or months.' }) period: Period,
  ): PeriodStatistics[] {
    return statistics
      .by(period)
      .map(({ from, to, ...sums }: PeriodSums) => ({ from: dayAt(from), to: dayAt(to), ...sums }));
  }
}
