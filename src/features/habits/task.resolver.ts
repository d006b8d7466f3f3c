import 'reflect-metadata';
import { Arg, Args, Ctx, Field, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { rowId } from '../../base/validation.js';
import { batched, rowsOf } from '../../graphql/batching.js';
import { connectionOf, selectsOnly } from '../../graphql/connection.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import { ChallengeTemplate } from '../challenges/template.entity.js';
import type { TemplateService } from '../challenges/template.service.js';
import { Schedule, shown, Target } from '../schedules/schedule.input.js';
import { targetOf } from '../schedules/target.js';
import { Task } from './task.entity.js';
import { CreateHabitInput, CreateTaskArgs, MoveTaskArgs, UpdateHabitInput } from './task.input.js';
import { type PlainTask, plainColumns, type TaskRow } from './task.queries.js';
import type { TaskService } from './task.service.js';
import type { TaskOrderService } from './task-order.service.js';

export const TaskConnection = connectionOf<PlainTask>(Task);

/** Whether a list of tasks is asked for nothing else. */
export const selectsPlainTasks = selectsOnly(plainColumns.names);

@Payload()
class CreateTaskPayload {
  @Field(() => Task, { description: 'The new task.' })
  task!: TaskRow;

  @Field({
    description:
      'True if the idempotency key was used before. `task` is then the one that was created with it.',
  })
  isReplayed!: boolean;
}

@Payload()
class UpdateTaskPayload {
  @Field(() => Task, { description: 'The updated task.' })
  task!: TaskRow;
}

@Payload()
class ArchiveTaskPayload {
  @Field(() => Task, { description: 'The task, archived.' })
  task!: TaskRow;
}

@Payload()
class UnarchiveTaskPayload {
  @Field(() => Task, { description: 'The task, in use.' })
  task!: TaskRow;
}

@Payload()
class MoveTaskPayload {
  @Field(() => Task, { description: 'The task that was moved.' })
  task!: TaskRow;
}

@Resolver()
export class TaskResolver {
  constructor(
    private readonly service: TaskService,
    private readonly order: TaskOrderService,
  ) {}

  @Access('READ')
  @Query(() => Task, {
    nullable: true,
    description: 'One of your tasks; null if you have none with this id.',
  })
  task(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The id.' }) id: string,
  ): Promise<TaskRow | null> {
    return this.service.find(userId, rowId(id));
  }

  @Access('TASKS')
  @Mutation(() => CreateTaskPayload, { nullable: true, description: 'Create a task.' })
  async createTask(
    @Ctx() { userId }: UserContext,
    @Arg('input', { description: 'The new task.' }) input: CreateHabitInput,
    @Args() { idempotencyKey }: CreateTaskArgs,
  ): Promise<CreateTaskPayload> {
    return this.service.create(userId, input, idempotencyKey);
  }

  @Access('TASKS')
  @Mutation(() => UpdateTaskPayload, { nullable: true, description: 'Change a task.' })
  async updateTask(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The task to change.' }) id: string,
    @Arg('input', { description: 'The changes.' }) input: UpdateHabitInput,
  ): Promise<UpdateTaskPayload> {
    return { task: await this.service.update(userId, rowId(id), input) };
  }

  @Access('TASKS')
  @Mutation(() => ArchiveTaskPayload, {
    nullable: true,
    description:
      'Archive a task: it is listed only on request, and cannot be completed. Its completions and points stay. Archiving it again changes nothing.',
  })
  async archiveTask(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The task to archive.' }) id: string,
  ): Promise<ArchiveTaskPayload> {
    return { task: await this.service.archive(userId, rowId(id)) };
  }

  @Access('TASKS')
  @Mutation(() => UnarchiveTaskPayload, {
    nullable: true,
    description:
      'Restore an archived task to the place that it had in the list. This changes nothing for a task in use.',
  })
  async unarchiveTask(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The task to restore.' }) id: string,
  ): Promise<UnarchiveTaskPayload> {
    return { task: await this.service.unarchive(userId, rowId(id)) };
  }

  @Access('TASKS')
  @Mutation(() => MoveTaskPayload, {
    nullable: true,
    description:
      'Move a task behind another one or to the top of the list, into another section, or both. What is left out stays as it is.',
  })
  async moveTask(
    @Ctx() { userId }: UserContext,
    @Args() { id, behindTaskId, section }: MoveTaskArgs,
  ): Promise<MoveTaskPayload> {
    return { task: await this.order.move(userId, id, { behindTaskId, section }) };
  }
}

@Resolver(() => Task)
export class TaskFields {
  constructor(private readonly templates: TemplateService) {}

  @FieldResolver(() => ChallengeTemplate, {
    nullable: true,
    description:
      'The template that the task is linked to, so that it counts for the challenge based on it; null if there is none. A task counts for one challenge at a time: another link takes the place of this one, and what counted for a challenge that has ended stays.',
  })
  async challengeTemplate(
    @Root() { challengeTemplateId }: TaskRow,
    @Ctx() context: Context,
  ): Promise<ChallengeTemplate | null> {
    return challengeTemplateId === null ? null : this.linked(context, challengeTemplateId);
  }

  @FieldResolver(() => Schedule, {
    description: 'When the task is due: every day, unless it was given another schedule.',
  })
  schedule(@Root() task: TaskRow): Schedule {
    return shown(task);
  }

  @FieldResolver(() => Target, {
    nullable: true,
    description:
      'The amount that the completions of a day, week or month must reach, or for a limit must not exceed. Null means that one completion is enough.',
  })
  target(@Root() task: TaskRow): Target | null {
    return targetOf(task);
  }

  @FieldResolver(() => [String], {
    description: 'Words by which the task can be found, in the order in which they were given.',
  })
  tags(@Root() { tags }: TaskRow): string[] {
    return tags ?? [];
  }

  private readonly linked = batched((ids: readonly number[]) =>
    rowsOf(ids, (distinct) => this.templates.findMany(distinct)),
  );
}
