import 'reflect-metadata';
import {
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Float,
  Int,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import type { Refusal } from '../../../base/errors.js';
import { grouped } from '../../../graphql/batching.js';
import type { Context } from '../../../graphql/context.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import { User } from '../../account/user.entity.js';
import type { Day } from '../../schedules/day.js';
import { WITHOUT_AMOUNT } from '../../schedules/fields.js';
import { StreakEffect } from '../../schedules/judge.js';
import { DayState } from '../../schedules/judged-days.js';
import { CompleteTaskPayload, UndoCompletionPayload } from '../completions/completion.payloads.js';
import { historyLimits } from '../limits.js';
import type { CalendarService, DayActivity, DayOfTask } from './calendar.service.js';
import { type AskedRange, RangeArgs } from './range.js';

registerEnumType(DayState, {
  name: 'DayState',
  description:
    'How a task stands on one day. If several states apply, the first of this order counts: KEPT, PARTIAL, SKIPPED, PAUSED, FUTURE, OPEN, MISSED, REST. For a limit: REST before it began, FUTURE, REST on other weekdays, SKIPPED, PAUSED, EXCEEDED, WITHIN, KEPT.',
  valuesConfig: {
    KEPT: {
      description:
        'The goal was reached. For a target of a week or month: something was done, unless the day is the last one on which the target could be met, and it is not. For a limit: the day is over and was within it.',
    },
    PARTIAL: { description: 'Something was done, but the goal was not reached.' },
    SKIPPED: { description: 'The day was skipped, and nothing was done.' },
    PAUSED: { description: 'The day lies in a pause, and nothing was done.' },
    FUTURE: { description: 'The day lies after today.' },
    OPEN: { description: 'The day is today, and the task is still to be done.' },
    MISSED: { description: 'The task was due, the day is over, and nothing was done.' },
    REST: {
      description:
        'The task was not due, or not made yet, and nothing was done. For a limit: the day lies before it began, which is when the task was made or first completed, or is none of its weekdays.',
    },
    WITHIN: { description: 'The day is today, and the limit of the task is not exceeded so far.' },
    EXCEEDED: { description: 'The limit of the task was exceeded, today or earlier.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A day in a calendar.' })
abstract class DayOfCalendar {
  @Field(() => CalendarDate, { description: 'The day.' })
  date!: Day;

  @Field(() => Int, { description: 'How many completions count for the day.' })
  completionCount!: number;

  @Field(() => Float, { description: 'The points that these completions earned.' })
  points!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'The instant of the first completion of the day; null if there is none.',
  })
  firstCompletedAt!: Date | null;

  @Field(() => StreakEffect, { description: 'How the day affects the streak.' })
  streakEffect!: StreakEffect;
}

@ObjectType({ simpleResolvers: true, description: 'A day of one task, and how it affects its streak.' })
export class TaskDay extends DayOfCalendar {
  @Field(() => DayState, { description: 'How the task stands on the day.' })
  state!: DayState;

  @Field(() => Boolean, {
    description:
      'Whether the schedule has the task on the day, skipped or paused or not. For days ahead: by what has been kept so far, as if nothing more were done.',
  })
  isDue!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the day was skipped, whatever was done on it and also if everything was paused.',
  })
  isSkipped!: boolean;

  @Field(() => Float, {
    nullable: true,
    description: `The sum of the amounts of the day; null if the task has no target. ${WITHOUT_AMOUNT}`,
  })
  amount!: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'A day of the user, with all tasks.' })
export class UserDay extends DayOfCalendar {}

@Resolver(() => TaskDay)
export class TaskDayNotes {
  constructor(private readonly calendars: CalendarService) {}

  @FieldResolver(() => [String], {
    description: 'The notes on the completions of the day, in their order, and the note on its skip.',
  })
  notes(@Root() day: DayOfTask, @Ctx() context: Context): Promise<string[]> {
    return this.read(context, day);
  }

  private readonly read = grouped(
    ({ userId }: DayOfTask) => userId,
    (group) => this.calendars.notesOf(group[0].userId, group),
    { oneAtATime: true },
  );
}

/** What counting the habits of a day looks at, whatever it finds. */
const COST_OF_HABITS = 10;

@Resolver(() => UserDay)
export class UserDayFields {
  constructor(private readonly calendars: CalendarService) {}

  @Extensions({ costs: COST_OF_HABITS })
  @FieldResolver(() => Int, {
    description:
      'How many tasks the day asked for or saw kept: those that its schedule had, without skipped and paused ones unless they were kept. A number of times a week or month asks for no single day, and counts on those on which it was kept, a target of a week or month also on the last day on which it could be met. Limits ask for nothing. A task that is archived counts on the days before, and on which it was kept. Of days ahead: by what has been kept so far.',
  })
  async dueCount(@Root() day: DayActivity, @Ctx() context: Context): Promise<number> {
    return (await this.read(context, day)).dueCount;
  }

  @Extensions({ costs: COST_OF_HABITS })
  @FieldResolver(() => Int, { description: 'How many of these were kept.' })
  async keptCount(@Root() day: DayActivity, @Ctx() context: Context): Promise<number> {
    return (await this.read(context, day)).keptCount;
  }

  private readonly read = grouped(
    ({ userId }: DayActivity) => userId,
    (group) =>
      this.calendars.countsOf(
        group[0].userId,
        group.map(({ date }) => date),
      ),
    { oneAtATime: true },
  );
}

interface CalendarOfUser extends AskedRange {
  user: Account;
}

@Resolver(() => User)
export class UserCalendarFields {
  constructor(private readonly calendars: CalendarService) {}

  @FieldResolver(() => [UserDay], {
    description: `The calendar of the user, with all tasks: one entry for each day of the range, oldest first, at most ${historyLimits.calendarDays} days.`,
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
      const calendars = group.map(({ user: _user, ...asked }) => asked);
      return this.calendars.ofUser(group[0].user.id, calendars);
    },
    { oneAtATime: true },
  );
}

@Resolver(() => CompleteTaskPayload)
export class CompletedDayField {
  constructor(private readonly calendars: CalendarService) {}

  @Access('READ')
  @FieldResolver(() => UserDay, {
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
  @FieldResolver(() => UserDay, {
    description: 'The day that the completion counted for, with all tasks, as it is now.',
  })
  day(@Root() { undone }: UndoCompletionPayload): Promise<DayActivity | undefined> {
    return this.calendars.day(undone.userId, undone.day);
  }
}
