import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import {
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Float,
  Info,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import type { Refusal } from '../../../base/errors.js';
import { written } from '../../../base/validation.js';
import { grouped } from '../../../graphql/batching.js';
import { selectsOnly } from '../../../graphql/connection.js';
import type { Context, UserContext } from '../../../graphql/context.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import { Task } from '../../habits/task.entity.js';
import { TodayFilter } from '../../habits/task.input.js';
import type { TaskRow } from '../../habits/task.queries.js';
import { noTask } from '../../habits/task.refusals.js';
import type { Day } from '../../schedules/day.js';
import { WITHOUT_AMOUNT } from '../../schedules/fields.js';
import { DayState } from '../../schedules/judged-days.js';
import type { PeriodProgress as Progress } from '../../schedules/next-due.js';
import type { Statistics } from '../../schedules/statistics.js';
import { Completion } from '../completions/completion.entity.js';
import type { CompletionService } from '../completions/completion.service.js';
import type { CompletionRow } from '../completions/completion-list.queries.js';
import { historyLimits } from '../limits.js';
import type { TrueStreak } from '../streaks/streak.js';
import { Streak } from '../streaks/streak.resolver.js';
import { TaskDay } from './calendar.resolver.js';
import type { CalendarService, DayOfTask } from './calendar.service.js';
import { type AskedRange, RangeArgs } from './range.js';
import { TaskStatistics } from './statistics.payloads.js';
import { filtersOf, type TaskDaysService, type Today } from './task-days.service.js';

@ObjectType({
  simpleResolvers: true,
  description: "How a task stands on the user's day today, and what was done.",
})
export class TaskToday {
  @Field(() => CalendarDate, { description: "The date of the user's day today." })
  date!: Day;

  @Field({
    description:
      'True if the schedule has the task today, whatever was done, and also if it is skipped or paused. Never of a limit, which asks for nothing.',
  })
  isDue!: boolean;

  @Field({
    description: 'Whether the task still asks for something: it is due, and not kept, skipped or paused.',
  })
  isOpen!: boolean;

  @Field({ description: 'Whether the goal of the day was met. Never of a limit.' })
  isKept!: boolean;

  @Field(() => DayState, { description: 'How the task stands today, so far.' })
  state!: DayState;

  @Field(() => Float, {
    nullable: true,
    description: `The sum of the amounts of the day; null if the task has no target. ${WITHOUT_AMOUNT}`,
  })
  amount!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'The sum of the amounts in the present period of the target: today, this week or this month; null if the task has no target. For a limit of a week or month, skipped and paused days are left out.',
  })
  periodAmount!: number | null;

  @Field(() => Float, {
    nullable: true,
    description:
      'How much of the target remains in its present period, never below 0; null if the task has no target.',
  })
  remaining!: number | null;

  @Field(() => Int, { description: 'How many completions of the task count for this day.' })
  completionCount!: number;
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

  @Field(() => Float, { description: 'What remains of the goal, never below 0.' })
  remaining!: number;

  @Field({ description: 'Whether the goal was reached.' })
  isKept!: boolean;
}

const selectsIdOnly = selectsOnly(['id']);

@Resolver(() => TaskToday)
export class TaskTodayFields {
  constructor(private readonly completions: CompletionService) {}

  @FieldResolver(() => [TodayFilter], {
    description: 'By which of the filters `tasks(today:)` finds the task.',
  })
  filters(@Root() today: Today): TodayFilter[] {
    return filtersOf(today);
  }

  @FieldResolver(() => Completion, {
    nullable: true,
    description: 'The latest completion of the day, by which it can be undone; null if there is none.',
  })
  lastCompletion(
    @Root() { lastCompletionId: id }: Today,
    @Ctx() context: UserContext,
    @Info() info: GraphQLResolveInfo,
  ): Pick<CompletionRow, 'id'> | Promise<CompletionRow | null> | null {
    if (id === null) return null;
    return selectsIdOnly(info) ? { id } : this.read(context, { userId: context.userId, id });
  }

  private readonly read = grouped(
    ({ userId }: { userId: string; id: number }) => userId,
    (group) =>
      this.completions.findEach(
        group[0].userId,
        group.map(({ id }) => id),
      ),
  );
}

type ShownToday = Omit<Today, 'amount' | 'periodAmount'> & Pick<TaskToday, 'amount' | 'periodAmount'>;

/** Amounts are those of a target. */
const shown = (today: Today): ShownToday =>
  today.remaining === null ? { ...today, amount: null, periodAmount: null } : today;

/** Of the days that are read for it, which a habit every day has 130 of. */
const COST_OF_A_SCORE = 130;

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
  async today(@Root() task: TaskRow, @Ctx() context: Context): Promise<ShownToday | Refusal> {
    const { today } = await this.read(context, { task, wanted: 'today' });
    return today ? shown(today) : noTask();
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

  @FieldResolver(() => [TaskDay], {
    description: `The calendar of this task: one entry for each day of the range, oldest first, at most ${historyLimits.calendarDays} days.`,
  })
  calendar(
    @Root() task: TaskRow,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<DayOfTask[] | Refusal> {
    return this.entries(context, { task, from, to, last });
  }

  @FieldResolver(() => TaskStatistics, {
    description: `How the task went over a range of days, of at most ${written(historyLimits.statisticsDays)} days.`,
  })
  statistics(
    @Root() task: TaskRow,
    @Args() { from, to, last }: RangeArgs,
    @Ctx() context: Context,
  ): Promise<Statistics | Refusal> {
    return this.figures(context, { task, from, to, last });
  }

  @Extensions({ costs: COST_OF_A_SCORE })
  @FieldResolver(() => Float, {
    description:
      'How firm the habit is, between 0 and 1: beside the streak, a number that one bad day does not end. Each due day that is over, and each kept one, moves it towards the share of the goal that was reached: by half in 13 days for a task that is due every day, in 13·√n days for one that is due every n days or n days apart on average. Where a week or month is asked for, so does each one that is over. Skipped and paused days leave it as it is. It begins at 0 and has three decimals.',
  })
  score(@Root() task: TaskRow, @Ctx() context: Context): Promise<number> {
    return this.scores(context, task);
  }

  private readonly scores = grouped(
    ({ userId }: TaskRow) => userId,
    (group) => this.calendars.scoresOf(group[0].userId, group),
    { oneAtATime: true },
  );

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
      return this.calendars.ofTasks(group[0].task.userId, group);
    },
    { oneAtATime: true },
  );
}
