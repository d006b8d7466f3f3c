import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { UserProgress } from '../../account/progress.entity.js';
import { OwnedBy } from '../../account/user.entity.js';
import { OfTask } from '../../habits/task.entity.js';

@ObjectType({
  simpleResolvers: true,
  description: 'A range of days on which one task, or all tasks, ask for nothing.',
})
@Entity({ tableName: 'pauses' })
@Index({
  name: 'pauses_user_id_task_id_index',
  properties: ['userId', 'taskId'],
})
export class Pause {
  static readonly spreadBy = 'user_id';

  @Field(() => ID, { description: 'The id of the pause: a UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  /** Null for all tasks, and the user's own streak. */
  @Property({ type: new BigIntType('number'), nullable: true })
  taskId: number | null = null;

  @OfTask({ nullable: true })
  task: [number, string] | null = null;

  @Property({ type: 'date' })
  firstDay!: string;

  /** Null while it is open. */
  @Property({ type: 'date', nullable: true })
  lastDay: string | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'The note of the user on the pause; null if there is none.',
  })
  @Property({ type: 'text', nullable: true })
  note: string | null = null;
}
