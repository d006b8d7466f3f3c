import 'reflect-metadata';
import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import type { Refusal } from '../errors.js';
import type { Context, UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { rowsOfEach, taskOfEach } from '../tasks/batches.js';
import { Task } from '../tasks/task.entity.js';
import type { TaskRow } from '../tasks/task.queries.js';
import type { TaskService } from '../tasks/task.service.js';
import { limits } from '../validation.js';
import { CheckInLink } from './check-in-link.entity.js';
import { CreateCheckInLinkArgs } from './check-in-link.input.js';
import type { CheckInLinkRow } from './check-in-link.queries.js';
import type { CheckInLinkService } from './check-in-link.service.js';

@ObjectType({ simpleResolvers: true, description: 'The answer to createCheckInLink.' })
class CreateCheckInLinkPayload {
  @Field(() => CheckInLink, { description: 'The new link.' })
  link!: CheckInLinkRow;

  @Field({
    description:
      'The address of the link, which is shown only now. Everybody who has it can complete the task, and see how the task stands today.',
  })
  url!: string;
}

@ObjectType({ simpleResolvers: true, description: 'The answer to revokeCheckInLink.' })
class RevokeCheckInLinkPayload {
  @Field(() => ID, { description: 'The id of the link that was revoked.' })
  linkId!: string;

  @Field(() => Task, { description: 'The task of the link.' })
  task!: () => Promise<TaskRow>;
}

@Resolver()
export class CheckInLinkResolver {
  constructor(
    private readonly links: CheckInLinkService,
    private readonly tasks: TaskService,
  ) {}

  @Access('TASKS')
  @Mutation(() => CreateCheckInLinkPayload, {
    nullable: true,
    description: `Make an address that completes one task and can do nothing else. A task has at most ${limits.checkInLinks} of them.`,
  })
  async createCheckInLink(
    @Ctx() { userId, origin }: UserContext,
    @Args() args: CreateCheckInLinkArgs,
  ): Promise<CreateCheckInLinkPayload> {
    const { link, token } = await this.links.create(userId, args);
    return { link, url: this.links.addressOf(token, origin()) };
  }

  @Access('TASKS')
  @Mutation(() => RevokeCheckInLinkPayload, {
    nullable: true,
    description: 'Revoke a check-in link: its address is unknown from now on.',
  })
  async revokeCheckInLink(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The link to revoke.' }) id: string,
  ): Promise<RevokeCheckInLinkPayload> {
    const { taskId } = await this.links.revoke(userId, id);
    return { linkId: id, task: () => this.tasks.get(userId, taskId) };
  }
}

@Resolver(() => CheckInLink)
export class CheckInLinkFields {
  constructor(private readonly tasks: TaskService) {}

  @FieldResolver(() => Task, { description: 'The task that the link completes.' })
  task(@Root() link: CheckInLinkRow, @Ctx() context: Context): Promise<TaskRow | Refusal> {
    return this.ofLinks(context, link);
  }

  private readonly ofLinks = taskOfEach(this.tasks);
}

@Resolver(() => Task)
export class TaskCheckInLinks {
  constructor(private readonly links: CheckInLinkService) {}

  @Extensions({ rowsLeadingOn: limits.checkInLinks })
  @FieldResolver(() => [CheckInLink], { description: 'The check-in links of the task, oldest first.' })
  checkInLinks(@Root() task: TaskRow, @Ctx() context: Context): Promise<CheckInLinkRow[]> {
    return this.ofTasks(context, task);
  }

  private readonly ofTasks = rowsOfEach((userId, ids) => this.links.ofTasks(userId, ids));
}
