import 'reflect-metadata';
import { BigIntType, DecimalType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { CalendarDate } from '../../../graphql/scalars.js';
import { OfTask } from '../../habits/task.entity.js';
import type { Day } from '../../schedules/day.js';
import { WITHOUT_AMOUNT } from '../../schedules/fields.js';

@ObjectType({ simpleResolvers: true, description: 'The record that a task was done once.' })
@Entity({ tableName: 'task_completions' })
@Index({
  name: 'task_completions_idempotency_key_unique',
  expression:
    'create unique index "task_completions_idempotency_key_unique" on "task_completions" ("user_id", "idempotency_key") where "idempotency_key" is not null',
})
@Index({ name: 'task_completions_task_id_day_index', properties: ['taskId', 'day'] })
@Index({ name: 'task_completions_user_id_day_index', properties: ['userId', 'day'] })
export class Completion {
  static readonly spreadBy = 'user_id';

  // Before userId: the other way round, MikroORM silently loses updates to a row that it has just inserted.
  @Field(() => ID, { description: 'The id: a number, the same in GraphQL and REST.' })
  @PrimaryKey({ type: new BigIntType('number'), generated: 'by default as identity', autoincrement: true })
  id!: number;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @Property({ type: new BigIntType('number') })
  taskId!: number;

  @OfTask()
  task!: [number, string];

  @Field(() => Float, {
    description:
      'The points that the completion earned: those of the task when it was recorded, and 0 for a limit.',
  })
  @Property({ type: new DecimalType('number'), columnType: 'numeric' })
  points!: number;

  @Field({ description: 'When the task was done.' })
  @Property({ type: 'datetime', length: 3 })
  completedAt!: Date;

  @Field(() => Float, {
    nullable: true,
    description: `How much was done; null if no amount was given. ${WITHOUT_AMOUNT}`,
  })
  @Property({ type: new DecimalType('number'), columnType: 'numeric', nullable: true })
  amount: number | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'The note of the user on the completion; null if there is none.',
  })
  @Property({ type: 'text', nullable: true })
  note: string | null = null;

  @Property({ type: 'text', nullable: true })
  idempotencyKey: string | null = null;

  @Field(() => CalendarDate, {
    description: "The user's day that it counts for, fixed when it was recorded.",
  })
  @Property({ type: 'date' })
  day!: Day;

  @Field({
    description:
      'When the service recorded the completion. This is later than `completedAt` if it was recorded afterwards.',
  })
  @Property({ type: 'datetime', length: 3 })
  recordedAt!: Date;
}
