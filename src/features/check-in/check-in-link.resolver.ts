import 'reflect-metadata';
import { Arg, Args, Ctx, Extensions, Field, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import type { Refusal } from '../../base/errors.js';
import type { Context, UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { rowsOfEach, taskOfEach } from '../habits/batches.js';
import { Task } from '../habits/task.entity.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { TaskService } from '../habits/task.service.js';
import { CheckInLink } from './check-in-link.entity.js';
import { CreateCheckInLinkArgs } from './check-in-link.input.js';
import type { CheckInLinkRow } from './check-in-link.queries.js';
import type { CheckInLinkService } from './check-in-link.service.js';
import { checkInLimits } from './limits.js';

@Payload()
class CreateCheckInLinkPayload {
  @Field(() => CheckInLink, { description: 'The new link.' })
  link!: CheckInLinkRow;

  @Field({
    description:
      'The address of the link, which is shown only now. Everybody who has it can complete the task, and see how the task stands today.',
  })
  url!: string;
}

@Payload()
class DeleteCheckInLinkPayload {
  @Field(() => ID, { description: 'The id that the link had.' })
  deletedId!: string;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Resolver()
export class CheckInLinkResolver {
  constructor(
    private readonly links: CheckInLinkService,
    private readonly accounts: AccountService,
  ) {}

  @Access('SESSION')
  @Mutation(() => CreateCheckInLinkPayload, {
    nullable: true,
    description: `Make an address that completes one task and can do nothing else. A task has at most ${checkInLimits.checkInLinks} of them.`,
  })
  async createCheckInLink(
    @Ctx() { caller, origin }: UserContext,
    @Args() args: CreateCheckInLinkArgs,
  ): Promise<CreateCheckInLinkPayload> {
    const { link, token } = await this.links.create(caller, args);
    return { link, url: this.links.addressOf(token, origin()) };
  }

  @Access('SESSION')
  @Mutation(() => DeleteCheckInLinkPayload, {
    nullable: true,
    description: 'Delete a check-in link: its address is unknown from now on.',
  })
  async deleteCheckInLink(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The link to delete.' }) id: string,
  ): Promise<DeleteCheckInLinkPayload> {
    await this.links.delete(userId, id);
    return { deletedId: id, user: () => this.accounts.get(userId) };
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

  @Extensions({ rowsLeadingOn: checkInLimits.checkInLinks })
  @FieldResolver(() => [CheckInLink], { description: 'The check-in links of the task, oldest first.' })
  checkInLinks(@Root() task: TaskRow, @Ctx() context: Context): Promise<CheckInLinkRow[]> {
    return this.ofTasks(context, task);
  }

  private readonly ofTasks = rowsOfEach((userId, ids) => this.links.ofTasks(userId, ids));
}
