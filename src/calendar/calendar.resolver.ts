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
import { WITHOUT_AMOUNT } from '../schedules/fields.js';
import { DayState } from '../schedules/judged-days.js';
import { StreakEffect } from '../schedules/lens.js';
import { limits } from '../validation.js';
import type { CalendarService, DayActivity } from './calendar.service.js';
import { type AskedRange, RangeArgs } from './range.js';

registerEnumType(DayState, {
  name: 'DayState',
  description:
    'How a task stands on one day. If several states apply, the first of this order counts: KEPT, PARTIAL, SKIPPED, PAUSED, FUTURE, DUE, MISSED, REST. For a limit: REST before it began, FUTURE, REST on other weekdays, SKIPPED, PAUSED, EXCEEDED, WITHIN, KEPT.',
  valuesConfig: {
    KEPT: {
      description:
        'The goal was reached. For a target of a week or month: something was done. For a limit: the day is over and was within it.',
    },
    PARTIAL: { description: 'Something was done, but the goal was not reached.' },
    SKIPPED: { description: 'The day was skipped, and nothing was done.' },
    PAUSED: { description: 'The day lies in a pause, and nothing was done.' },
    FUTURE: { description: 'The day lies after today.' },
    DUE: { description: 'The day is today, and the task is still to be done.' },
    MISSED: { description: 'The task was due, the day is over, and nothing was done.' },
    REST: {
      description:
        'The task was not due, and nothing was done. For a limit: the day lies before it began, or is none of its weekdays.',
    },
    WITHIN: { description: 'The day is today, and the limit of the task is not exceeded so far.' },
    EXCEEDED: { description: 'The limit of the task was exceeded, today or earlier.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'One day in a calendar, and how it affects the streak.' })
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
    description: `The sum of the amounts of the day. ${WITHOUT_AMOUNT}`,
  })
  amount!: number;

  @Field(() => StreakEffect, { description: 'How the day affects the streak.' })
  streakEffect!: StreakEffect;

  @Field(() => DayState, {
    nullable: true,
    description: 'How the task stands on the day; null in a calendar of all tasks.',
  })
  state!: DayState | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the schedule has the task on the day, skipped or paused or not. For days ahead: by what has been kept so far, as if nothing more were done. Null for all tasks together.',
  })
  isDue!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the day was skipped, whatever was done on it and also if everything was paused. Null for all tasks together.',
  })
  isSkipped!: boolean | null;
}

@Resolver(() => CalendarDay)
export class CalendarDayFields {
  constructor(private readonly calendars: CalendarService) {}

  @FieldResolver(() => [String], {
    description: 'The notes on the completions of the day, in their order, and the note on its skip.',
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
    description: `The calendar of the user, with all tasks: one entry for each day of the range, oldest first, at most ${limits.calendarDays} days.`,
  })
  calendar(
    @Root() user: Account,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<DayActivity[] | Refusal> {
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
