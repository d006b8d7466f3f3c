import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { UserProgress } from '../accounts/progress.entity.js';
import { OwnedBy } from '../accounts/user.entity.js';
import { OfTask } from '../tasks/task.entity.js';

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

  @Field(() => String, { nullable: true, description: 'The note of the user on the pause.' })
  @Property({ type: 'text', nullable: true })
  note: string | null = null;
}
