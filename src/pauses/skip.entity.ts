import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Task } from '../tasks/task.entity.js';

/** A day on which a task need not be done. */
@Entity({ tableName: 'skips' })
export class Skip {
  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @PrimaryKey({ type: new BigIntType('number') })
  taskId!: number;

  @PrimaryKey({ type: 'date' })
  day!: string;

  @ManyToOne(() => Task, {
    mapToPk: true,
    joinColumns: ['task_id', 'user_id'],
    referencedColumnNames: ['id', 'user_id'],
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  task!: [number, string];

  @Property({ type: 'text', nullable: true })
  note: string | null = null;
}
