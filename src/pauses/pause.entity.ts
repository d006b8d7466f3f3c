import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { UserProgress } from '../accounts/progress.entity.js';
import { Task } from '../tasks/task.entity.js';

@ObjectType({
  simpleResolvers: true,
  description: 'Days on which nothing is asked for: of one task, or of all.',
})
@Entity({ tableName: 'pauses' })
@Index({
  name: 'pauses_user_id_task_id_index',
  properties: ['userId', 'taskId'],
})
export class Pause {
  @Field(() => ID, { description: 'The id.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => UserProgress, {
    primary: true,
    mapToPk: true,
    fieldName: 'user_id',
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  userId!: string;

  /** Null for all tasks, and the user's own streak. */
  @Property({ type: new BigIntType('number'), nullable: true })
  taskId: number | null = null;

  @ManyToOne(() => Task, {
    nullable: true,
    mapToPk: true,
    joinColumns: ['task_id', 'user_id'],
    referencedColumnNames: ['id', 'user_id'],
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  task: [number, string] | null = null;

  @Property({ type: 'date' })
  firstDay!: string;

  /** Null while it is open. */
  @Property({ type: 'date', nullable: true })
  lastDay: string | null = null;

  @Field(() => String, { nullable: true, description: 'What the user noted about it.' })
  @Property({ type: 'text', nullable: true })
  note: string | null = null;
}
