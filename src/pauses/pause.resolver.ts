import 'reflect-metadata';
import {
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { User } from '../accounts/user.entity.js';
import type { Refusal } from '../errors.js';
import type { Context, UserContext } from '../graphql/context.js';
import { CalendarDate } from '../graphql/scalars.js';
import { Access } from '../graphql/schema.js';
import type { Day } from '../schedules/day.js';
import { rowsOfEach, taskOfEach } from '../tasks/batches.js';
import { Task } from '../tasks/task.entity.js';
import type { TaskRow } from '../tasks/task.queries.js';
import type { TaskService } from '../tasks/task.service.js';
import { limits } from '../validation.js';
import { Pause } from './pause.entity.js';
import { EndPauseArgs, PauseArgs, SkipDayArgs, UnskipDayArgs } from './pause.input.js';
import type { PauseRow } from './pause.queries.js';
import type { PauseService } from './pause.service.js';

@ObjectType({ simpleResolvers: true, description: 'The answer to skipDay.' })
class SkipDayPayload {
  @Field(() => Task, { description: 'The task as it is now.' })
  task!: TaskRow;

  @Field(() => CalendarDate, { description: 'The day that is skipped.' })
  date!: Day;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to unskipDay.' })
class UnskipDayPayload {
  @Field(() => Task, { description: 'The task as it is now.' })
  task!: TaskRow;

  @Field(() => CalendarDate, { description: 'The day that is not skipped.' })
  date!: Day;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to pause.' })
class PausePayload {
  @Field(() => Pause, { description: 'The pause.' })
  pause!: PauseRow;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to endPause.' })
class EndPausePayload {
  @Field(() => Pause, { nullable: true, description: 'The pause; null if it was deleted.' })
  pause!: PauseRow | null;

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
      'Skip a day of a task. The day breaks no streak, and what is done on it counts all the same. Skipping the day again changes its note.',
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
  @Mutation(() => PausePayload, {
    nullable: true,
    description:
      'Pause a task, or everything, for some days or until you end the pause. Paused days break no streak.',
  })
  async pause(@Ctx() { userId }: UserContext, @Args() args: PauseArgs): Promise<PausePayload> {
    const pause = await this.service.pause(userId, args);
    return this.withUser(userId, { pause });
  }

  @Access('TASKS')
  @Mutation(() => EndPausePayload, {
    nullable: true,
    description: 'Set the last day of a pause. A day before its first day deletes the pause.',
  })
  async endPause(@Ctx() { userId }: UserContext, @Args() args: EndPauseArgs): Promise<EndPausePayload> {
    const pause = await this.service.end(userId, args);
    return this.withUser(userId, { pause });
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

  @Extensions({ rowsLeadingOn: limits.pauses })
  @FieldResolver(() => [Pause], {
    description: 'The pauses of this task alone, in the order of their first days.',
  })
  pauses(@Root() task: TaskRow, @Ctx() context: Context): Promise<PauseRow[]> {
    return this.ofTasks(context, task);
  }

  private readonly ofTasks = rowsOfEach((userId, ids) => this.service.ofTasks(userId, ids));
}
