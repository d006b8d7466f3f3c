import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Refusal } from '../../../base/errors.js';
import { rowId, validateEach } from '../../../base/validation.js';
import { pagesBelow } from '../../../graphql/batching.js';
import { connectionOf, PageArgs, pageRequest, selectsOnly } from '../../../graphql/connection.js';
import type { Context, UserContext } from '../../../graphql/context.js';
import { Access } from '../../../graphql/schema.js';
import type { AccountService } from '../../account/account.service.js';
import { taskOfEach } from '../../habits/batches.js';
import { Task } from '../../habits/task.entity.js';
import type { TaskRow } from '../../habits/task.queries.js';
import type { TaskService } from '../../habits/task.service.js';
import { historyLimits } from '../limits.js';
import { Completion } from './completion.entity.js';
import {
  CompleteTaskAtInput,
  CompletionInput,
  CompletionsArgs,
  UpdateCompletionNoteArgs,
} from './completion.input.js';
import {
  CompleteTaskPayload,
  CompleteTasksPayload,
  resultOf,
  seenBy,
  UndoCompletionPayload,
  UpdateCompletionNotePayload,
} from './completion.payloads.js';
import type { CompletionService } from './completion.service.js';
import type { CompletionRow } from './completion-list.queries.js';
import type { CompletionListService } from './completion-list.service.js';

const CompletionConnection = connectionOf<CompletionRow>(Completion);

/** Whether a completed task is asked for what its statement counts, and its user likewise. */
const selectsCounts = selectsOnly([
  ...['completion', 'task', 'user', 'isReplayed', 'isDoneAlready', 'id', 'points', 'completedAt'],
  ...['completionCount', 'currentStreak', 'maxStreak'],
]);

@Resolver()
export class CompletionResolver {
  constructor(
    private readonly service: CompletionService,
    private readonly lists: CompletionListService,
    private readonly tasks: TaskService,
    private readonly accounts: AccountService,
  ) {}

  @Access('READ')
  @Query(() => CompletionConnection, {
    description:
      'Your completions, newest first: by your day, then by the time. You can ask for those of a range of your days, or of one task.',
  })
  completions(@Ctx() { userId }: UserContext, @Args() { from, to, taskId, ...args }: CompletionsArgs) {
    const filter = [from, to, taskId].map((value) => value ?? '');
    const isFiltered = filter.some((value) => value !== '');
    const identity = {
      list: isFiltered ? `completions?${filter.join('&')}` : 'completions',
      userId,
      isByDay: true,
    };
    const request = pageRequest(args, identity);
    const page = this.lists.page(userId, request, { from, to, taskId });
    return new CompletionConnection(page, request, identity);
  }

  @Access('READ')
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

  @Access('COMPLETIONS')
  @Mutation(() => CompleteTaskPayload, {
    nullable: true,
    description:
      'Complete a task: record that it was done, now or a while ago. A task may be completed many times a day, and each completion earns its points, unless `once` is said.',
  })
  async completeTask(
    @Ctx() { userId, caller }: UserContext,
    @Args() input: CompleteTaskAtInput,
    @Info() info: GraphQLResolveInfo,
  ): Promise<CompleteTaskPayload> {
    const { accounts, service } = this;
    const { counters, ...completed } = await (selectsCounts(info)
      ? service.completeCounted(userId, input)
      : service.complete(userId, input));
    return {
      ...seenBy(caller, completed),
      user: () => accounts.withCounters(userId, counters),
    };
  }

  @Access('COMPLETIONS')
  @Mutation(() => CompleteTasksPayload, {
    nullable: true,
    description:
      'Complete several tasks at once, such as those done offline. Each completion has its own key, and is recorded or refused by itself.',
  })
  async completeTasks(
    @Ctx() { userId, caller }: UserContext,
    @Arg('input', () => [CompletionInput], {
      description: `At most ${historyLimits.completionsAtOnce} completions.`,
    })
    input: CompletionInput[],
  ): Promise<CompleteTasksPayload> {
    const { accounts } = this;
    const results = await this.service.completeEach(userId, input, validateEach);
    return {
      results: results.map((result, at) => resultOf(caller, result, input[at] as CompletionInput)),
      user: () => accounts.get(userId),
    };
  }

  @Access('COMPLETIONS')
  @Mutation(() => UpdateCompletionNotePayload, {
    nullable: true,
    description: 'Change the note on a completion, at any time.',
  })
  async updateCompletionNote(
    @Ctx() { userId }: UserContext,
    @Args() { id, note }: UpdateCompletionNoteArgs,
  ): Promise<UpdateCompletionNotePayload> {
    return { completion: await this.service.setNote(userId, id, note) };
  }

  @Access('COMPLETIONS')
  @Mutation(() => UndoCompletionPayload, {
    nullable: true,
    description:
      'Undo a completion: it is deleted, and points, counts and streaks are as if it had never been. It must be of today, by your day or by UTC, or no longer ago than the service allows (its setting BACKDATE_HOURS).',
  })
  async undoCompletion(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The completion to undo.' }) id: string,
  ): Promise<UndoCompletionPayload> {
    const { accounts, tasks } = this;
    const undone = await this.service.undo(userId, rowId(id));
    return {
      undone,
      completionId: undone.id,
      task: () => accounts.unlessGone(userId, () => tasks.get(userId, undone.taskId)),
      user: () => accounts.get(userId),
    };
  }
}

@Resolver(() => Completion)
export class CompletionFields {
  constructor(private readonly tasks: TaskService) {}

  @FieldResolver(() => Task, { description: 'The task that was completed.' })
  task(@Root() completion: CompletionRow, @Ctx() context: Context): Promise<TaskRow | Refusal> {
    return this.ofCompletions(context, completion);
  }

  private readonly ofCompletions = taskOfEach(this.tasks);
}

@Resolver(() => Task)
export class TaskCompletionFields {
  constructor(private readonly lists: CompletionListService) {}

  @FieldResolver(() => CompletionConnection, {
    description: 'Newest first, by your day and then by the time.',
  })
  completions(@Root() task: TaskRow, @Args() args: PageArgs, @Ctx() context: Context) {
    const { id, userId, completionCount } = task;
    const identity = { list: `completions:${id}`, userId, isByDay: true };
    const request = pageRequest(args, identity);
    const page = this.pages(context, { userId, id, request });
    return new CompletionConnection({ ...page, total: async () => completionCount }, request, identity);
  }

  private readonly pages = pagesBelow((userId) => this.lists.pagesOfTasks(userId));
}
