import 'reflect-metadata';
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { grouped } from '../../graphql/batching.js';
import type { Context } from '../../graphql/context.js';
import { TimeOfDay } from '../../graphql/scalars.js';
import type { Account } from '../account/account.queries.js';
import { User } from '../account/user.entity.js';
import { habitLimits } from '../habits/limits.js';
import { TaskReminder } from '../habits/reminder.input.js';
import { Task } from '../habits/task.entity.js';
import type { TaskRow } from '../habits/task.queries.js';
import type { ReminderService, ShownReminder } from './reminder.service.js';

@Resolver(() => Task)
export class TaskReminders {
  constructor(private readonly service: ReminderService) {}

  @FieldResolver(() => [TaskReminder], {
    description: `The times at which the user is reminded of the task, at most ${habitLimits.reminders}, earliest first. A reminder is sent only while the task is open, and so never of a limit.`,
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
