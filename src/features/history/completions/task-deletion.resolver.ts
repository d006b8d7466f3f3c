import 'reflect-metadata';
import { Arg, Ctx, Field, ID, Mutation, Resolver } from 'type-graphql';
import { rowId } from '../../../base/validation.js';
import type { UserContext } from '../../../graphql/context.js';
import { Payload } from '../../../graphql/payload.js';
import { Access } from '../../../graphql/schema.js';
import type { Account } from '../../account/account.queries.js';
import type { AccountService } from '../../account/account.service.js';
import { User } from '../../account/user.entity.js';
import type { TaskDeletionService } from './task-deletion.service.js';

@Payload()
class DeleteTaskPayload {
  @Field(() => ID, { description: 'The id of the task that was deleted.' })
  deletedId!: number;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;
}

@Resolver()
export class TaskDeletionResolver {
  constructor(
    private readonly service: TaskDeletionService,
    private readonly accounts: AccountService,
  ) {}

  @Access('TASKS')
  @Mutation(() => DeleteTaskPayload, {
    nullable: true,
    description:
      'Delete a task for good, with its completions. Points, counts and streaks are then as if the task had never been. To keep what was done, archive the task.',
  })
  async deleteTask(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The task to delete.' }) id: string,
  ): Promise<DeleteTaskPayload> {
    const { accounts } = this;
    const taskId = rowId(id);
    await this.service.delete(userId, taskId);
    return {
      deletedId: taskId,
      user: () => accounts.get(userId),
    };
  }
}
