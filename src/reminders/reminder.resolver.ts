import 'reflect-metadata';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Account } from '../accounts/account.queries.js';
import { User } from '../accounts/user.entity.js';
import { grouped } from '../graphql/batching.js';
import type { Context } from '../graphql/context.js';
import { TimeOfDay } from '../graphql/scalars.js';
import { TaskReminder } from '../tasks/reminder.input.js';
import { Task } from '../tasks/task.entity.js';
import type { TaskRow } from '../tasks/task.queries.js';
import { limits } from '../validation.js';
import type { ReminderService, ShownReminder } from './reminder.service.js';

@Resolver(() => Task)
export class TaskReminders {
  constructor(private readonly service: ReminderService) {}

  @FieldResolver(() => [TaskReminder], {
    description: `The times at which the user is reminded of the task, at most ${limits.reminders}, earliest first. A reminder is sent only while the task is due and not done.`,
  })
  reminders(@Root() task: TaskRow, @Ctx() context: Context): Promise<ShownReminder[]> {
    return this.ofTasks(context, task);
  }

  private readonly ofTasks = grouped(
    ({ userId }: TaskRow) => userId,
    (group) =>
      this.service.ofTasks(
        group[0].userId,
        group.map(({ id }) => id),
      ),
  );
}

@Resolver(() => User)
export class UserReminder {
  constructor(private readonly service: ReminderService) {}

  @FieldResolver(() => TimeOfDay, {
    nullable: true,
    description:
      'The time at which the user is reminded of what is still open on the day; null means never. Nothing is sent when all is done.',
  })
  dayReminder(@Root() { id }: Account): Promise<string | null> {
    return this.service.ofDay(id);
  }
}
