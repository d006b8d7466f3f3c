import 'reflect-metadata';
import {
  Args,
  Ctx,
  Field,
  FieldResolver,
  Float,
  Int,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import { User } from '../accounts/user.entity.js';
import { CompleteTaskPayload, UndoCompletionPayload } from '../completions/completion.payloads.js';
import type { Refusal } from '../errors.js';
import { grouped } from '../graphql/batching.js';
import type { Context } from '../graphql/context.js';
import { CalendarDate } from '../graphql/scalars.js';
import { Access } from '../graphql/schema.js';
import type { Day } from '../schedules/day.js';
import { DayState } from '../schedules/judged-days.js';
import { StreakEffect } from '../schedules/lens.js';

import { limits } from '../validation.js';
import type { CalendarService, DayActivity } from './calendar.service.js';
import { type AskedRange, RangeArgs, refuseUnlessPossible } from './range.js';

registerEnumType(DayState, {
  name: 'DayState',
  description: 'What a day was for a task. The first that fits.',
  valuesConfig: {
    KEPT: {
      description:
        'The goal was reached; with a target of a week or month, something was done; of a limit, the day is over and was within it.',
    },
    PARTIAL: { description: 'Something was done, but the goal was not reached.' },
    SKIPPED: { description: 'Skipped, and nothing done.' },
    PAUSED: { description: 'In a pause, and nothing done.' },
    FUTURE: { description: 'After today.' },
    DUE: { description: 'Today, and the task is still to be done.' },
    MISSED: { description: 'It was due and is over, and nothing was done.' },
    REST: { description: 'Not due, and nothing done; of a limit, before it began or not of its weekdays.' },
    WITHIN: { description: 'Of a limit: today, and not exceeded so far.' },
    EXCEEDED: { description: 'Of a limit: more than it, be it today.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One day in a calendar, and its effect on the streak.' })
export class CalendarDay implements Omit<DayActivity, 'userId' | 'taskId'> {
  @Field(() => CalendarDate, { description: 'The day.' })
  date!: Day;

  @Field(() => Int, { description: 'How many completions count for the day.' })
  completions!: number;

  @Field(() => Float, { description: 'The points that these completions earned.' })
  points!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'The instant of the first completion of the day; null if there is none.',
  })
  firstCompletedAt!: Date | null;

  @Field(() => Float, {
    description:
      'What the amounts of the day add up to; one that was not given is the target of its task, if it has one.',
  })
  amount!: number;

  @Field(() => StreakEffect, { description: 'What the day did to the run.' })
  streakEffect!: StreakEffect;

  @Field(() => DayState, {
    nullable: true,
    description: 'What the day was for the task; null for all tasks together.',
  })
  state!: DayState | null;
}

@Resolver(() => CalendarDay)
export class CalendarDayFields {
  constructor(private readonly calendars: CalendarService) {}

  @FieldResolver(() => [String], {
    description: 'The notes on the completions of the day, in their order, and on its skip.',
  })
  notes(@Root() day: DayActivity, @Ctx() context: Context): Promise<string[]> {
    return this.read(context, day);
  }

  @FieldResolver(() => StreakEffect, {
    description: 'The same as `streakEffect`.',
    deprecationReason: 'Since 2026-11-24: use streakEffect.',
  })
  streak(@Root() { streakEffect }: DayActivity): StreakEffect {
    return streakEffect;
  }

  private readonly read = grouped(
    ({ userId, taskId }: DayActivity) => `${userId} ${taskId === null ? 'user' : 'task'}`,
    (group) => this.calendars.notesOf(group[0].userId, group),
    { oneAtATime: true },
  );
}

interface CalendarOfUser extends AskedRange {
  user: Account;
}

@Resolver(() => User)
export class UserCalendarFields {
  constructor(private readonly calendars: CalendarService) {}

  @FieldResolver(() => [CalendarDay], {
    description: `Completions per day of the user, oldest first, one entry for every day of the range, at most ${limits.calendarDays} days.`,
  })
  calendar(
    @Root() user: Account,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<DayActivity[] | Refusal> {
    refuseUnlessPossible({ from, to, last }, 'A calendar');
    return this.read(context, { user, from, to, last });
  }

  /** Aliases ask for many calendars at once. Days that overlap are read once. */
  private readonly read = grouped(
    ({ user }: CalendarOfUser) => user.id,
    (group) => {
      const calendars = group.map(({ user: _user, ...asked }) => ({ ...asked, task: null }));
      return this.calendars.ofEach(group[0].user.id, calendars);
    },
    { oneAtATime: true },
  );
}

@Resolver(() => CompleteTaskPayload)
export class CompletedDayField {
  constructor(private readonly calendars: CalendarService) {}

  @Access('READ')
  @FieldResolver(() => CalendarDay, {
    description: 'The day that the completion counts for, with all tasks, as it is now.',
  })
  day(@Root() { completion }: CompleteTaskPayload): Promise<DayActivity | undefined> {
    return this.calendars.day(completion.userId, completion.day);
  }
}

@Resolver(() => UndoCompletionPayload)
export class UndoneDayField {
  constructor(private readonly calendars: CalendarService) {}

  @Access('READ')
  @FieldResolver(() => CalendarDay, {
    description: 'The day that the completion counted for, with all tasks, as it is now.',
  })
  day(@Root() { undone }: UndoCompletionPayload): Promise<DayActivity | undefined> {
    return this.calendars.day(undone.userId, undone.day);
  }
}
