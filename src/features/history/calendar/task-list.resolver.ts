import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Extensions, Info, Query, Resolver } from 'type-graphql';
import { grouped } from '../../../graphql/batching.js';
import { pageRequest } from '../../../graphql/connection.js';
import type { UserContext } from '../../../graphql/context.js';
import type { LookedThrough } from '../../../graphql/limits.js';
import { Access } from '../../../graphql/schema.js';
import { habitLimits } from '../../habits/limits.js';
import { TasksArgs } from '../../habits/task.input.js';
import { selectsPlainTasks, TaskConnection } from '../../habits/task.resolver.js';
import type { TaskOrderService } from '../../habits/task-order.service.js';
import type { TaskDaysService, TaskFilter } from './task-days.service.js';

@Resolver()
export class TaskListResolver {
  constructor(
    private readonly order: TaskOrderService,
    private readonly days: TaskDaysService,
  ) {}

  @Access('READ')
  @Extensions({
    lookedThrough: { rows: habitLimits.tasks, by: ['today', 'tag', 'section'] } satisfies LookedThrough,
  })
  @Query(() => TaskConnection, {
    description: 'Your tasks in your own order: oldest first, until you move one.',
  })
  async tasks(
    @Ctx() context: UserContext,
    @Args() { archived, today, tag, section, ...args }: TasksArgs,
    @Info() info: GraphQLResolveInfo,
  ) {
    const { userId } = context;
    const list = { IN_USE: 'tasks', ARCHIVED: 'tasks?archived', ANY: 'tasks?all' }[archived];
    const given = [tag, section, today];
    const filter = given.some((value) => value != null)
      ? given.map((value) => `&${encodeURIComponent(value ?? '')}`).join('')
      : '';
    const identity = { list: `${list}${filter}`, userId, isRanked: true };
    const request = pageRequest(args, identity);
    const ids = filter ? await this.idsOf(context, { userId, today, tag, section }) : undefined;
    const page = this.order.page(userId, request, { archived, ids, isPlain: selectsPlainTasks(info) });
    return new TaskConnection(page, request, identity);
  }

  /** Aliases ask for many lists at once: all tasks are looked through once. */
  private readonly idsOf = grouped(
    ({ userId }: TaskFilter & { userId: string }) => userId,
    (group) => this.days.idsOfEach(group[0].userId, group),
  );
}
