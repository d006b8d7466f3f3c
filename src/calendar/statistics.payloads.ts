import 'reflect-metadata';
import { Arg, Field, FieldResolver, Float, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { CalendarDate } from '../graphql/scalars.js';
import type { Day } from '../schedules/day.js';
import { dayAt, Period, Weekday } from '../schedules/schedule.js';
import type { PeriodSums, Statistics } from '../schedules/statistics.js';

/** Of some days of the range. */
@ObjectType({ simpleResolvers: true, description: 'What became of some days of the range.' })
abstract class Sums {
  @Field(() => Int, { description: 'Days that were kept; 1 for a period that was kept as one.' })
  kept!: number;

  @Field(() => Int, { description: 'How often it was done.' })
  completions!: number;

  @Field(() => Float, { description: 'What the amounts add up to.' })
  amount!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What became of the same weekday in all weeks of the range.',
})
class WeekdayStatistics extends Sums {
  @Field(() => Weekday, { description: 'The weekday.' })
  weekday!: Weekday;

  @Field(() => Int, { description: 'Days that were due; 0 for so many times a week or month.' })
  due!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'What became of the days of the range in a week or month.',
})
class PeriodStatistics extends Sums {
  @Field(() => CalendarDate, { description: 'The first day of the period.' })
  from!: Day;

  @Field(() => CalendarDate, { description: 'The last day of the period.' })
  to!: Day;

  @Field(() => Int, {
    description:
      'Days that were due; for so many times in this period, how many it asks for, for a target or limit of it 1, and 0 in another.',
  })
  due!: number;
}

@ObjectType({ simpleResolvers: true, description: 'What became of the days of a range.' })
export class TaskStatistics {
  @Field(() => Int, {
    description:
      'Days that were due and not skipped or paused, today only if it was kept; of periods, what they ask for. Of a limit: its days or periods that are over and not neutral.',
  })
  dueDays!: number;

  @Field(() => Int, {
    description:
      'Days that were kept, whether due or not. Of a limit: those of its due days or periods that were within it.',
  })
  keptDays!: number;

  @Field(() => Int, {
    description:
      'Due days that were not kept; of periods, what they fell short by. Of a limit: those that exceeded it.',
  })
  missedDays!: number;

  @Field(() => Int, { description: 'Days that were skipped or paused, and not kept.' })
  neutralDays!: number;

  @Field(() => Int, { description: 'How often it was done.' })
  completions!: number;

  @Field(() => Float, { description: 'The points that it earned.' })
  points!: number;

  @Field(() => Float, { description: 'What the amounts add up to.' })
  amount!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'The share of what was due that was kept; null when nothing was due.',
  })
  rate!: number | null;

  @Field(() => [WeekdayStatistics], { description: "By weekday: seven, from the user's first on." })
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
