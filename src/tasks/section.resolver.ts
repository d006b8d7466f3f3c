import 'reflect-metadata';
import { Args, Ctx, Field, FieldResolver, Int, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import type { AccountService } from '../accounts/account.service.js';
import { User } from '../accounts/user.entity.js';
import type { UserContext } from '../graphql/context.js';
import { Access } from '../graphql/schema.js';
import { RenameSectionArgs } from './task.input.js';
import type { TaskOrderService } from './task-order.service.js';

@ObjectType({ simpleResolvers: true, description: 'The answer to renameSection.' })
class RenameSectionPayload {
  @Field(() => User, { description: 'The user as it is now.' })
  user!: () => Promise<Account>;

  @Field(() => Int, {
    description: 'How many tasks the section had, archived ones included; 0 if there is no such section.',
  })
  tasks!: number;
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
    @Args() { from, to = null }: RenameSectionArgs,
  ): Promise<RenameSectionPayload> {
    const tasks = await this.order.renameSection(userId, { from, to });
    return { user: () => this.accounts.get(userId), tasks };
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
