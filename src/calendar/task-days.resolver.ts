import 'reflect-metadata';
import { Args, Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { Refusal } from '../errors.js';
import { grouped } from '../graphql/batching.js';
import type { Context } from '../graphql/context.js';
import { CalendarDate } from '../graphql/scalars.js';
import type { Day } from '../schedules/day.js';
import { WITHOUT_AMOUNT } from '../schedules/fields.js';
import { DayState } from '../schedules/judged-days.js';
import type { PeriodProgress as Progress } from '../schedules/next-due.js';
import type { Statistics } from '../schedules/statistics.js';
import type { TrueStreak } from '../streaks/streak.js';
import { Streak } from '../streaks/streak.resolver.js';
import { Task } from '../tasks/task.entity.js';
import type { TaskRow } from '../tasks/task.queries.js';
import { noTask } from '../tasks/task.refusals.js';
import { limits, written } from '../validation.js';
import { CalendarDay } from './calendar.resolver.js';
import type { CalendarService, DayActivity } from './calendar.service.js';
import { type AskedRange, RangeArgs } from './range.js';
import { TaskStatistics } from './statistics.payloads.js';
import type { TaskDaysService, Today } from './task-days.service.js';

@ObjectType({
  simpleResolvers: true,
  description: "How a task stands on the user's day today, and what was done.",
})
export class TaskToday {
  @Field(() => CalendarDate, { description: "The date of the user's day today." })
  date!: Day;

  @Field(() => Int, { description: 'How many completions of the task count for this day.' })
  completions!: number;

  @Field(() => ID, {
    nullable: true,
    description:
      'The id of the latest completion of the day, by which it can be undone; null if there is none.',
  })
  lastCompletionId!: number | null;

  @Field(() => Float, {
    description: `The sum of the amounts of the day. ${WITHOUT_AMOUNT}`,
  })
  amount!: number;

  @Field(() => Float, {
    description:
      'The sum of the amounts in the present period of the target: today, this week or this month. For a limit of a week or month, skipped and paused days are left out.',
  })
  periodAmount!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'How much of the target is left in its present period, never below 0; null if the task has no target.',
  })
  left!: number | null;

  @Field(() => DayState, { description: 'How the task stands today, so far.' })
  state!: DayState;

  @Field({
    description:
      'True if the schedule has the task today, whatever was done, and also if it is skipped or paused.',
  })
  isDue!: boolean;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'How much of the present week or month is done: counted in kept days or, for a target of a week or month, in its unit.',
})
export class PeriodProgress implements Progress {
  @Field(() => CalendarDate, { description: 'The first day of the period.' })
  from!: Day;

  @Field(() => CalendarDate, { description: 'The last day of the period.' })
  to!: Day;

  @Field(() => Float, {
    description:
      'What the period asks for. A number of days is lowered where fewer days are neither skipped nor paused.',
  })
  goal!: number;

  @Field(() => Float, { description: 'What has been done in the period.' })
  done!: number;

  @Field(() => Float, { description: 'What is left of the goal, never below 0.' })
  left!: number;

  @Field({ description: 'Whether the goal was reached.' })
  kept!: boolean;
}

interface WantedDay {
  task: TaskRow;
  wanted: 'streak' | 'today';
}

interface WantedCalendar extends AskedRange {
  task: TaskRow;
}

/** Fields of a task that tell of the user's days. Each is read for all rows of a list at once. */
@Resolver(() => Task)
export class TaskDayFields {
  constructor(
    private readonly days: TaskDaysService,
    private readonly calendars: CalendarService,
  ) {}

  @FieldResolver(() => TaskToday, {
    description: "How the task stands on the user's day today, and what was done.",
  })
  async today(@Root() task: TaskRow, @Ctx() context: Context): Promise<Today | Refusal> {
    return (await this.read(context, { task, wanted: 'today' })).today ?? noTask();
  }

  @FieldResolver(() => CalendarDate, {
    nullable: true,
    description:
      'Today if the task asks for something today, otherwise the next day on which it will if nothing more is done. Null if there is none: for an archived task, in a pause without an end, and for a limit.',
  })
  async nextDueOn(@Root() task: TaskRow, @Ctx() context: Context): Promise<Day | Refusal | null> {
    const { today } = await this.read(context, { task, wanted: 'today' });
    return today ? this.days.nextDueOn(task, today) : noTask();
  }

  @FieldResolver(() => PeriodProgress, {
    nullable: true,
    description:
      "How far the user's present week or month is. Null unless the schedule or the target asks for something by week or month; null for a limit.",
  })
  async thisPeriod(@Root() task: TaskRow, @Ctx() context: Context): Promise<PeriodProgress | Refusal | null> {
    const { today } = await this.read(context, { task, wanted: 'today' });
    return today ? today.thisPeriod() : noTask();
  }

  @FieldResolver(() => Streak, {
    description: 'The streak of this task as it is now, by its schedule.',
  })
  async streak(@Root() task: TaskRow, @Ctx() context: Context): Promise<TrueStreak | Refusal> {
    return (await this.read(context, { task, wanted: 'streak' })).streak ?? noTask();
  }

  @FieldResolver(() => [CalendarDay], {
    description: `The calendar of this task: one entry for each day of the range, oldest first, at most ${limits.calendarDays} days.`,
  })
  calendar(
    @Root() task: TaskRow,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<DayActivity[] | Refusal> {
    return this.entries(context, { task, from, to, last });
  }

  @FieldResolver(() => TaskStatistics, {
    description: `How the task went over a range of days, of at most ${written(limits.statisticsDays)} days.`,
  })
  statistics(
    @Root() task: TaskRow,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<Statistics | Refusal> {
    return this.figures(context, { task, from, to, last });
  }

  private readonly figures = grouped(
    ({ task }: WantedCalendar) => task.userId,
    (group) => this.calendars.statisticsOf(group[0].task.userId, group),
    { oneAtATime: true },
  );

  /** Of a task that was deleted since it was read, there is nothing. */
  private readonly read = grouped(
    ({ task }: WantedDay) => task.userId,
    async (group) => {
      const idsFor = (wanted: WantedDay['wanted']) => [
        ...new Set(group.flatMap((each) => (each.wanted === wanted ? each.task.id : []))),
      ];
      const ids = { streaks: idsFor('streak'), todays: idsFor('today') };
      const { streaks, todays } = await this.days.of(group[0].task.userId, ids);
      return group.map(({ task }) => ({ streak: streaks.get(task.id), today: todays.get(task.id) }));
    },
  );

  private readonly entries = grouped(
    ({ task }: WantedCalendar) => task.userId,
    (group) => {
      return this.calendars.ofEach(group[0].task.userId, group);
    },
    { oneAtATime: true },
  );
}
