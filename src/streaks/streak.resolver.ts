import 'reflect-metadata';
import { Field, FieldResolver, Int, ObjectType, Resolver, Root, registerEnumType } from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import { User } from '../accounts/user.entity.js';
import type { Clock } from '../clock.js';
import { StreakEffect, streakAt, type TrueStreak } from './streak.js';

registerEnumType(StreakEffect, {
  name: 'StreakEffect',
  description:
    'What a day did to the run of consecutive days. The first missed day is BROKEN, later ones NONE; today without a completion is NONE.',
  valuesConfig: {
    NONE: { description: 'No effect: there was no run to continue, or today is not over yet.' },
    STARTED: { description: 'A completion after a day without one.' },
    CONTINUED: { description: 'A completion on the day after one.' },
    BROKEN: { description: 'The first day without a completion after a run.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A streak as it really is at this moment.' })
export class Streak implements TrueStreak {
  @Field(() => Int, {
    description: 'Consecutive days up to today or yesterday; 0 once a whole day was missed.',
  })
  days!: number;

  @Field(() => Int, { description: 'The most consecutive days ever.' })
  longest!: number;

  @Field({ description: 'Whether a task was completed today.' })
  doneToday!: boolean;

  @Field({ description: 'True when today still needs a completion to keep the streak.' })
  atRisk!: boolean;

  @Field(() => Date, {
    nullable: true,
    description:
      'The instant at which the streak ends unless a task is completed before it; null without a streak.',
  })
  aliveUntil!: Date | null;
}

@Resolver(() => User)
export class UserStreakFields {
  constructor(private readonly clock: Clock) {}

  @FieldResolver(() => Streak, {
    description: 'The streak as it really is now, next to the stored counter that the nightly job corrects.',
  })
  streak(@Root() user: Account): TrueStreak {
    return streakAt(this.clock.now(), user);
  }
}
