import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';
import { OfTask } from '../habits/task.entity.js';

/** A time at which a task is asked for, or all that is left of the day, with the instant at which it rings next. */
@Entity({ tableName: 'reminders' })
@Index({ name: 'reminders_next_at_index', properties: ['nextAt'] })
@Index({ name: 'reminders_user_id_task_id_index', properties: ['userId', 'taskId'] })
export class Reminder {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  /** Null for the day's reminder. */
  @Property({ type: new BigIntType('number'), nullable: true })
  taskId: number | null = null;

  @OfTask({ nullable: true })
  task: [number, string] | null = null;

  /** Since midnight, on the user's clock. */
  @Property({ type: 'int' })
  minute!: number;

  /** Bits, Monday first. */
  @Property({ type: 'int' })
  weekdays!: number;

  @Property({ type: 'datetime', length: 3 })
  nextAt!: Date;
}
