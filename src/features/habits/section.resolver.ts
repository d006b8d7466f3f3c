import 'reflect-metadata';
import { Args, Ctx, Field, FieldResolver, Int, Mutation, Resolver, Root } from 'type-graphql';
import type { UserContext } from '../../graphql/context.js';
import { Payload } from '../../graphql/payload.js';
import { Access } from '../../graphql/schema.js';
import type { Account } from '../account/account.queries.js';
import type { AccountService } from '../account/account.service.js';
import { User } from '../account/user.entity.js';
import { RenameSectionArgs } from './task.input.js';
import type { TaskOrderService } from './task-order.service.js';

@Payload()
class RenameSectionPayload {
  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;

  @Field(() => Int, {
    description: 'How many tasks the section had, archived ones included; 0 if there is no such section.',
  })
  taskCount!: number;
}

@Resolver()
export class SectionResolver {
  constructor(
    private readonly order: TaskOrderService,
    private readonly accounts: AccountService,
  ) {}

  @Access('TASKS')
  @Mutation(() => RenameSectionPayload, {
    nullable: true,
    description: 'Rename a section. If there is a section of the new name already, the two become one.',
  })
  async renameSection(
    @Ctx() { userId }: UserContext,
    @Args() { name, newName }: RenameSectionArgs,
  ): Promise<RenameSectionPayload> {
    const taskCount = await this.order.renameSection(userId, { name, newName });
    return { user: () => this.accounts.get(userId), taskCount };
  }
}

@Resolver(() => User)
export class UserSections {
  constructor(private readonly order: TaskOrderService) {}

  @Access('READ')
  @FieldResolver(() => [String], {
    description: 'The sections of the tasks in use, in the order of their first task.',
  })
  sections(@Root() { id }: Account): Promise<string[]> {
    return this.order.sections(id);
  }
}
