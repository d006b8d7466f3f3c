import 'reflect-metadata';
import {
  Arg,
  Args,
  Authorized,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { User } from '../accounts/user.entity.js';
import { type Reason, Refusal } from '../errors.js';
import { batched, byGroup, rowsOf } from '../graphql/batching.js';
import { PageArgs, pageRequest } from '../graphql/connection.js';
import type { Context, UserContext } from '../graphql/context.js';
import { eachAdmitted } from '../graphql/inputs.js';
import { CalendarDate } from '../graphql/scalars.js';
import type { Day } from '../streaks/day.js';
import { limits, rowId } from '../validation.js';
import { CalendarDay } from './calendar.resolver.js';
import type { CalendarService, DayActivity } from './calendar.service.js';
import { CompletionConnection } from './completion.connection.js';
import { Completion } from './completion.entity.js';
import type { CompletionResult, CompletionService } from './completion.service.js';
import { dayOfCompletion, whenRecorded } from './completion-day.js';
import { Task } from './task.entity.js';
import { CompleteTaskAtInput, CompletionInput } from './task.input.js';
import type { CompletionRow, TaskRow } from './task.queries.js';
import type { TaskService } from './task.service.js';

@ObjectType({ simpleResolvers: true, description: 'The answer to completeTask.' })
class CompleteTaskPayload {
  @Field(() => Completion, { description: 'What was recorded.' })
  completion!: CompletionRow;

  @Field(() => Task, { description: 'The task as it is now.' })
  task!: TaskRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: Account | Promise<Account>;

  @Field({ description: 'True when the idempotency key had been used: nothing was counted again.' })
  replayed!: boolean;

  @Field(() => CalendarDay, { description: 'The day that it counts for, of all tasks, as it is now.' })
  day!: Promise<DayActivity | undefined>;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to undoCompletion.' })
class UndoCompletionPayload {
  @Field(() => ID, { description: 'The id of the completion that was removed.' })
  completionId!: number;

  @Field(() => Task, { description: 'The task as it is now.' })
  task!: Promise<TaskRow | null>;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: Promise<Account>;

  @Field(() => CalendarDay, { description: 'The day that it counted for, of all tasks, as it is now.' })
  day!: Promise<DayActivity | undefined>;
}

@ObjectType({ simpleResolvers: true, description: 'Why a completion was not recorded.' })
class RefusedInput {
  @Field({ description: 'What is wrong, for people.' })
  message!: string;

  @Field(() => String, { description: 'The reason, for programs: one of a closed set, in capitals.' })
  reason!: Reason;
}

@ObjectType({ simpleResolvers: true, description: 'What became of one completion of several.' })
class CompleteTaskResult {
  @Field(() => Completion, { nullable: true, description: 'What was recorded; null where it was refused.' })
  completion!: CompletionRow | null;

  @Field(() => Task, { nullable: true, description: 'The task as it was then; null where it was refused.' })
  task!: TaskRow | null;

  @Field({ description: 'True when the idempotency key had been used: nothing was counted again.' })
  replayed!: boolean;

  @Field(() => RefusedInput, { nullable: true, description: 'Set where it was refused.' })
  error!: RefusedInput | null;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to completeTasks.' })
class CompleteTasksPayload {
  @Field(() => [CompleteTaskResult], {
    description:
      'One for each input, in their order; `error` where it was refused, the others count all the same.',
  })
  results!: CompleteTaskResult[];

  @Field(() => User, { description: 'The user as it is now.' })
  user!: Promise<Account>;
}

const resultOf = (result: CompletionResult | Refusal): CompleteTaskResult =>
  result instanceof Refusal
    ? {
        completion: null,
        task: null,
        replayed: false,
        error: { message: result.message, reason: result.reason },
      }
    : { completion: result.completion, task: result.task, replayed: result.replayed, error: null };

@Authorized()
@Resolver()
export class CompletionResolver {
  constructor(
    private readonly service: CompletionService,
    private readonly tasks: TaskService,
    private readonly accounts: AccountService,
    private readonly calendars: CalendarService,
  ) {}

  @Query(() => CompletionConnection, { description: 'All your completions, newest first.' })
  completions(@Ctx() { userId }: UserContext, @Args() args: PageArgs) {
    const identity = { list: 'completions', userId };
    const request = pageRequest(args, identity);
    return new CompletionConnection(this.service.page(userId, request), request, identity);
  }

  @Query(() => Completion, {
    nullable: true,
    description: 'One of your completions; null if you have none with this id.',
  })
  completion(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The id.' }) id: string,
  ): Promise<CompletionRow | null> {
    return this.service.find(userId, rowId(id));
  }

  @Mutation(() => CompleteTaskPayload, {
    description:
      'Record that a task was completed, now or a while ago. A task may be completed many times a day, and each completion earns its points.',
  })
  async completeTask(
    @Ctx() { userId }: UserContext,
    @Args() input: CompleteTaskAtInput,
  ): Promise<CompleteTaskPayload> {
    const { accounts, calendars } = this;
    const { counters, ...completed } = await this.service.complete(userId, input);
    return {
      ...completed,
      get user() {
        return accounts.withCounters(userId, counters);
      },
      get day() {
        return calendars.day(userId, dayOfCompletion(completed.completion));
      },
    };
  }

  @Mutation(() => CompleteTasksPayload, {
    description:
      'Record what was done offline: several completions, each with its key. Each is recorded or refused by itself.',
  })
  async completeTasks(
    @Ctx() { userId }: UserContext,
    @Arg('input', () => [CompletionInput], {
      description: `At most ${limits.completionsAtOnce} completions.`,
    })
    input: CompletionInput[],
  ): Promise<CompleteTasksPayload> {
    const { accounts } = this;
    const results = await this.service.completeEach(userId, eachAdmitted(input));
    return {
      results: results.map(resultOf),
      get user() {
        return accounts.get(userId);
      },
    };
  }

  @Mutation(() => UndoCompletionPayload, {
    description:
      'Undo a completion of today, yours or that of UTC: it is removed, and the points and streak it earned are taken back.',
  })
  async undoCompletion(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The completion.' }) id: string,
  ): Promise<UndoCompletionPayload> {
    const { accounts, calendars, tasks } = this;
    const undone = await this.service.undo(userId, rowId(id));
    return {
      completionId: undone.id,
      get task() {
        return accounts.unlessGone(userId, () => tasks.find(userId, undone.taskId));
      },
      get user() {
        return accounts.get(userId);
      },
      get day() {
        return calendars.day(userId, dayOfCompletion(undone));
      },
    };
  }
}

@Resolver(() => Completion)
export class CompletionFields {
  constructor(private readonly service: TaskService) {}

  @FieldResolver(() => CalendarDate, {
    description: "The user's day that it counts for, fixed when it was recorded.",
  })
  day(@Root() completion: CompletionRow): Day {
    return dayOfCompletion(completion);
  }

  @FieldResolver(() => Date, {
    description: 'When the service learned of it; later than `completedAt` when it was recorded afterwards.',
  })
  recordedAt(@Root() completion: CompletionRow): Date {
    return whenRecorded(completion);
  }

  @FieldResolver(() => Task, { description: 'The task that was completed.' })
  task(@Root() completion: CompletionRow, @Ctx() context: Context): Promise<TaskRow | null> {
    return this.tasks(context, completion);
  }

  private readonly tasks = batched((completions: readonly CompletionRow[]) =>
    byGroup(
      completions,
      ({ userId }) => userId,
      (group) => {
        const ids = group.map(({ taskId }) => taskId);
        return rowsOf(ids, (distinct) => this.service.findMany(group[0].userId, distinct));
      },
    ),
  );
}
