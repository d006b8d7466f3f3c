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
import { ChallengeTemplate } from '../challenges/template.entity.js';
import type { TemplateService } from '../challenges/template.service.js';
import { connectionOf, PageArgs, pageRequest } from '../graphql/connection.js';
import type { UserContext } from '../graphql/context.js';
import { rowId } from '../validation.js';
import { Completion } from './completion.entity.js';
import { Task } from './task.entity.js';
import { CompleteTaskInput, CreateTaskInput, UpdateTaskInput } from './task.input.js';
import type { Recorded } from './task.queries.js';
import type { TaskService } from './task.service.js';

const TaskConnection = connectionOf(Task);

@ObjectType({ description: 'The answer to createTask.' })
class CreateTaskPayload {
  @Field(() => Task, { description: 'The new task.' })
  task!: Task;
}

@ObjectType({ description: 'The answer to updateTask.' })
class UpdateTaskPayload {
  @Field(() => Task, { description: 'The task as updated.' })
  task!: Task;
}

@ObjectType({ description: 'The answer to completeTask.' })
class CompleteTaskPayload {
  @Field(() => Completion, { description: 'What was recorded.' })
  completion!: Recorded;

  @Field(() => Task, { description: 'The task as it is now.' })
  task!: Task;

  @Field(() => User, { description: 'The user as it is now.' })
  user!: Promise<Account>;

  @Field({ description: 'True when the idempotency key had been used: nothing was counted again.' })
  replayed!: boolean;
}

@Authorized()
@Resolver()
export class TaskResolver {
  constructor(
    private readonly service: TaskService,
    private readonly accounts: AccountService,
  ) {}

  @Query(() => TaskConnection, { description: 'Your tasks, oldest first.' })
  tasks(@Ctx() { userId }: UserContext, @Args() args: PageArgs) {
    const identity = { list: 'tasks', userId };
    const request = pageRequest(args, identity);
    return new TaskConnection(this.service.page(userId, request), request, identity);
  }

  @Query(() => Task, { nullable: true, description: 'One task of yours; null if there is none.' })
  task(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<Task | null> {
    return this.service.find(userId, rowId(id));
  }

  @Mutation(() => CreateTaskPayload, { description: 'Make a task.' })
  async createTask(
    @Ctx() { userId }: UserContext,
    @Arg('input', { description: 'What it is to be.' }) input: CreateTaskInput,
  ): Promise<CreateTaskPayload> {
    return { task: await this.service.create(userId, input) };
  }

  @Mutation(() => UpdateTaskPayload, { description: 'Change a task.' })
  async updateTask(
    @Ctx() { userId }: UserContext,
    @Arg('id', () => ID, { description: 'The task.' }) id: string,
    @Arg('input', { description: 'What is to change.' }) input: UpdateTaskInput,
  ): Promise<UpdateTaskPayload> {
    return { task: await this.service.update(userId, rowId(id), input) };
  }

  @Mutation(() => CompleteTaskPayload, {
    description: 'Record a doing of a task; it may be done often a day.',
  })
  async completeTask(
    @Ctx() { userId }: UserContext,
    @Args() input: CompleteTaskInput,
  ): Promise<CompleteTaskPayload> {
    const { accounts } = this;
    const completed = await this.service.complete(userId, input);
    return {
      ...completed,
      get user() {
        return accounts.get(userId);
      },
    };
  }
}

@Resolver(() => Task)
export class TaskFields {
  constructor(private readonly templates: TemplateService) {}

  @FieldResolver(() => ChallengeTemplate, { nullable: true, description: 'The template it is linked to.' })
  async challengeTemplate(@Root() task: Task): Promise<ChallengeTemplate | null> {
    const { challengeTemplateId, userId } = task;
    return challengeTemplateId === null ? null : this.templates.find(userId, challengeTemplateId);
  }
}

@Resolver(() => Completion)
export class CompletionFields {
  constructor(private readonly service: TaskService) {}

  @FieldResolver(() => Task, { description: 'What was done.' })
  task(@Root() { userId, taskId }: Recorded): Promise<Task | null> {
    return this.service.find(userId, taskId);
  }
}
