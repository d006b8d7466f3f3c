import 'reflect-metadata';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import { grouped } from '../../../graphql/batching.js';
import type { Context } from '../../../graphql/context.js';
import { CalendarDate, TimeZoneName } from '../../../graphql/scalars.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import { User } from '../../account/user.entity.js';
import type { Day } from '../../schedules/day.js';
import { StreakEffect } from '../../schedules/judge.js';
import { Weekday } from '../../schedules/schedule.js';
import { StreakUnit, type TrueStreak, zoneOf } from './streak.js';
import type { UserDaysService } from './user-days.service.js';

registerEnumType(StreakUnit, {
  name: 'StreakUnit',
  description: 'What a streak counts.',
  valuesConfig: {
    DAYS: {
      description:
        'Days, for tasks due on weekdays or every day, also by an interval of one day. For a limit of a day: days that are over and were within it.',
    },
    TIMES: { description: 'Kept days, for tasks with an interval of two days or more.' },
    WEEKS: { description: 'Weeks, for a number of times, a target or a limit of a week.' },
    MONTHS: { description: 'Months, for a number of times, a target or a limit of a month.' },
  },
});

registerEnumType(StreakEffect, {
  name: 'StreakEffect',
  description:
    'How a day affects a streak. The first missed day is BROKEN, and the missed days after it are NONE. Today is NONE until something is done.',
  valuesConfig: {
    NONE: {
      description: 'The day has no effect: there was no streak to continue, or today is not over yet.',
    },
    STARTED: { description: 'A streak begins with this day.' },
    CONTINUED: { description: 'The streak goes on with this day.' },
    BROKEN: {
      description:
        'The streak ended with this day, because what the schedule has was not done: also on a day before the task was made, between completions that were recorded afterwards.',
    },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "A streak as it is at this moment, in the user's days.",
})
export class Streak implements TrueStreak {
  @Field(() => StreakUnit, { description: 'What the streak counts. It depends on the schedule.' })
  unit!: StreakUnit;

  @Field(() => Int, {
    description: 'How long the streak is now; 0 once something due was missed, or a limit was exceeded.',
  })
  count!: number;

  @Field(() => Int, { description: 'The longest streak ever, by the present schedule.' })
  longest!: number;

  @Field({
    description: 'True if the goal of today is reached. It is false for a limit, which asks for nothing.',
  })
  doneToday!: boolean;

  @Field({ description: 'True if the streak ends with today unless the goal is reached.' })
  atRisk!: boolean;

  @Field(() => Date, {
    nullable: true,
    description:
      'The instant at which the streak ends unless something is done before. Null if there is no streak, or if nothing can end it.',
  })
  aliveUntil!: Date | null;
}

@Resolver(() => User)
export class UserStreakFields {
  constructor(private readonly days: UserDaysService) {}

  @Access('OPEN')
  @FieldResolver(() => Streak, {
    description: "The streak of the user as it is now, in the user's days.",
  })
  async streak(@Root() user: Account, @Ctx() context: Context): Promise<TrueStreak> {
    return (await this.now(context, user)).streak;
  }

  @FieldResolver(() => TimeZoneName, {
    description:
      "The zone in which this user's days begin and end; UTC by default. REST and `currentStreak` always use UTC.",
  })
  timeZone(@Root() user: Account): string {
    return zoneOf(user);
  }

  @FieldResolver(() => Weekday, { description: "The day with which this user's weeks begin." })
  weekStartsOn(@Root() user: Account): Weekday {
    return user.weekStartsOn ?? 'MONDAY';
  }

  @Access('OPEN')
  @FieldResolver(() => CalendarDate, { description: 'The day it is for this user now.' })
  async today(@Root() user: Account, @Ctx() context: Context): Promise<Day> {
    return (await this.now(context, user)).today;
  }

  @FieldResolver(() => Date, {
    description: 'The instant at which `today` ends. Read again then what belongs to the day.',
  })
  todayEndsAt(@Root() user: Account, @Ctx() context: Context): Promise<Date> {
    return this.end(context, user);
  }

  private readonly now = grouped(
    ({ id }: Account) => id,
    (group) => this.days.ofAccounts(group),
  );

  private readonly end = grouped(
    ({ id }: Account) => id,
    (group) => this.days.endsOfToday(group),
  );
}
