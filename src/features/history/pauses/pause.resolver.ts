import 'reflect-metadata';
import { Arg, Args, Ctx, Extensions, Field, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import type { Refusal } from '../../../base/errors.js';
import type { Context, UserContext } from '../../../graphql/context.js';
import { Payload } from '../../../graphql/payload.js';
import { CalendarDate } from '../../../graphql/scalars.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import type { AccountService } from '../../account/account.service.js';
import { User } from '../../account/user.entity.js';
import { rowsOfEach, taskOfEach } from '../../habits/batches.js';
import { Task } from '../../habits/task.entity.js';
import type { TaskRow } from '../../habits/task.queries.js';
import type { TaskService } from '../../habits/task.service.js';
import type { Day } from '../../schedules/day.js';
import { historyLimits } from '../limits.js';
import { Pause } from './pause.entity.js';
import { CreatePauseInput, SkipDayArgs, UnskipDayArgs, UpdatePauseInput } from './pause.input.js';
import type { PauseRow } from './pause.queries.js';
import type { PauseService } from './pause.service.js';

@Payload()
class SkipDayPayload {
  @Field(() => Task, { description: 'The task as it is now.' })
  task!: TaskRow;

  @Field(() => CalendarDate, { description: 'The day that is skipped.' })
  date!: Day;
}

@Payload()
class UnskipDayPayload {
  @Field(() => Task, { description: 'The task as it is now.' })
  task!: TaskRow;

  @Field(() => CalendarDate, { description: 'The day that is not skipped.' })
  date!: Day;
}

@Payload()
class CreatePausePayload {
  @Field(() => Pause, { description: 'The new pause.' })
  pause!: PauseRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class UpdatePausePayload {
  @Field(() => Pause, { description: 'The pause as it is now.' })
  pause!: PauseRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Payload()
class DeletePausePayload {
  @Field(() => ID, { description: 'The id that the pause had.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Resolver()
export class PauseResolver {
  constructor(
    private readonly service: PauseService,
    private readonly accounts: AccountService,
  ) {}

  @Access('TASKS')
  @Mutation(() => SkipDayPayload, {
    nullable: true,
    description:
      'Skip a day of a task. The day breaks no streak, and what is done on it counts all the same. Skipping the day again changes its note, if one is given.',
  })
  async skipDay(@Ctx() { userId }: UserContext, @Args() args: SkipDayArgs): Promise<SkipDayPayload> {
    return { task: await this.service.skip(userId, args), date: args.date };
  }

  @Access('TASKS')
  @Mutation(() => UnskipDayPayload, {
    nullable: true,
    description: 'Take back the skip of a day. This changes nothing if the day is not skipped.',
  })
  async unskipDay(@Ctx() { userId }: UserContext, @Args() args: UnskipDayArgs): Promise<UnskipDayPayload> {
    return { task: await this.service.unskip(userId, args), date: args.date };
  }

  @Access('TASKS')
  @Mutation(() => CreatePausePayload, {
    nullable: true,
    description:
      'Pause a task, or everything, for some days or until you end the pause. Paused days break no streak.',
  })
  async createPause(
    @Ctx() { userId }: UserContext,
    @Arg('input', { description: 'The new pause.' }) input: CreatePauseInput,
  ): Promise<CreatePausePayload> {
    return this.withUser(userId, { pause: await this.service.create(userId, input) });
  }

  @Access('TASKS')
  @Mutation(() => UpdatePausePayload, {
    nullable: true,
    description:
      'Change a pause. To end one that has begun, set its last day: what is over stays paused, as it was.',
  })
  async updatePause(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The pause to change.' }) id: string,
    @Arg('input', { description: 'The changes.' }) input: UpdatePauseInput,
  ): Promise<UpdatePausePayload> {
    return this.withUser(userId, { pause: await this.service.update(userId, id, input) });
  }

  @Access('TASKS')
  @Mutation(() => DeletePausePayload, {
    nullable: true,
    description: 'Delete a pause: its days are then as if it had never been.',
  })
  async deletePause(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The pause to delete.' }) id: string,
  ): Promise<DeletePausePayload> {
    await this.service.delete(userId, id);
    return this.withUser(userId, { deletedId: id });
  }

  private withUser<Payload extends object>(userId: string, payload: Payload) {
    const { accounts } = this;
    return {
      ...payload,
      user: () => accounts.get(userId),
    };
  }
}

@Resolver(() => Pause)
export class PauseFields {
  constructor(private readonly tasks: TaskService) {}

  @FieldResolver(() => CalendarDate, { description: 'The first day of the pause.' })
  from(@Root() { firstDay }: PauseRow): Day {
    return firstDay;
  }

  @FieldResolver(() => CalendarDate, {
    nullable: true,
    description: 'The last day of the pause; null while it has no end.',
  })
  until(@Root() { lastDay }: PauseRow): Day | null {
    return lastDay;
  }

  @FieldResolver(() => Task, {
    nullable: true,
    description: 'The task that is paused; null if everything is paused.',
  })
  async task(@Root() pause: PauseRow, @Ctx() context: Context): Promise<TaskRow | Refusal | null> {
    const { userId, taskId } = pause;
    return taskId === null ? null : this.ofPauses(context, { userId, taskId });
  }

  private readonly ofPauses = taskOfEach(this.tasks);
}

@Resolver(() => User)
export class UserPauses {
  constructor(private readonly service: PauseService) {}

  @FieldResolver(() => [Pause], {
    description: 'The pauses of everything, in the order of their first days.',
  })
  pauses(@Root() { id }: Account): Promise<PauseRow[]> {
    return this.service.ofUser(id);
  }
}

@Resolver(() => Task)
export class TaskPauses {
  constructor(private readonly service: PauseService) {}

  @Extensions({ rowsLeadingOn: historyLimits.pauses })
  @FieldResolver(() => [Pause], {
    description: 'The pauses of this task alone, in the order of their first days.',
  })
  pauses(@Root() task: TaskRow, @Ctx() context: Context): Promise<PauseRow[]> {
    return this.ofTasks(context, task);
  }

  private readonly ofTasks = rowsOfEach((userId, ids) => this.service.ofTasks(userId, ids));
}
