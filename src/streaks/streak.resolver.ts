import 'reflect-metadata';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import { User } from '../accounts/user.entity.js';
import { grouped } from '../graphql/batching.js';
import type { Context } from '../graphql/context.js';
import { CalendarDate, TimeZoneName } from '../graphql/scalars.js';
import { Access } from '../graphql/schema.js';
import type { Day } from '../schedules/day.js';
import { StreakEffect } from '../schedules/lens.js';
import { Weekday } from '../schedules/schedule.js';
import { StreakUnit, type TrueStreak, zoneOf } from './streak.js';
import type { UserDaysService } from './user-days.service.js';

registerEnumType(StreakUnit, {
  name: 'StreakUnit',
  description: 'What a streak counts.',
  valuesConfig: {
    DAYS: {
      description:
        'Kept days: by weekdays, every day among them; for a limit of a day, days that are over and were within it.',
    },
    TIMES: { description: 'Kept days: every so many days.' },
    WEEKS: { description: 'Kept weeks: so many times a week, or a target or limit of a week.' },
    MONTHS: { description: 'Kept months: so many times a month, or a target or limit of a month.' },
  },
});

registerEnumType(StreakEffect, {
  name: 'StreakEffect',
  description:
    'What a day did to the run. The first missed day is BROKEN, later ones NONE; today without a completion is NONE.',
  valuesConfig: {
    NONE: { description: 'No effect: there was no run to continue, or today is not over yet.' },
    STARTED: { description: 'With this day a run begins.' },
    CONTINUED: { description: 'With this day the run goes on.' },
    BROKEN: { description: 'With this day the run ended: what was due was not done.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: "A streak as it really is at this moment, in the user's days.",
})
export class Streak implements TrueStreak {
  @Field(() => StreakUnit, { description: 'What is counted: it goes by the schedule.' })
  unit!: StreakUnit;

  @Field(() => Int, {
    description: 'How long the run is now; 0 once something due was missed, or a limit was exceeded.',
  })
  count!: number;

  @Field(() => Int, { description: 'The longest run ever, under the schedule of now.' })
  longest!: number;

  @Field({ description: 'Whether the goal of today is reached; false for a limit, which asks for nothing.' })
  doneToday!: boolean;

  @Field({ description: 'True when the streak ends with today unless the goal is reached.' })
  atRisk!: boolean;

  @Field(() => Date, {
    nullable: true,
    description:
      'The instant at which the streak ends unless something is done before it; null without a streak, or while nothing can end it.',
  })
  aliveUntil!: Date | null;
}

@Resolver(() => Streak)
export class StreakFields {
  @FieldResolver(() => Int, {
    description: 'The same as `count`.',
    deprecationReason: 'Since 2026-11-24: use count, with unit.',
  })
  days(@Root() { count }: TrueStreak): number {
    return count;
  }
}

@Resolver(() => User)
export class UserStreakFields {
  constructor(private readonly days: UserDaysService) {}

  @Access('OPEN')
  @FieldResolver(() => Streak, {
    description:
      "The streak as it really is now, in the user's days, next to the stored counter that the nightly job corrects.",
  })
  async streak(@Root() user: Account, @Ctx() context: Context): Promise<TrueStreak> {
    return (await this.now(context, user)).streak;
  }

  @FieldResolver(() => TimeZoneName, {
    description:
      "Cuts this user's days; UTC until it is set. REST and `currentStreak` count UTC days whatever it is.",
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

  private readonly now = grouped(
    ({ id }: Account) => id,
    (group) => this.days.ofAccounts(group),
  );
}
