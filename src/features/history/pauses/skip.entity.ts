import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OfTask } from '../../habits/task.entity.js';

/** A day on which a task need not be done. */
@Entity({ tableName: 'skips' })
export class Skip {
  static readonly spreadBy = 'user_id';

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @PrimaryKey({ type: new BigIntType('number') })
  taskId!: number;

  @PrimaryKey({ type: 'date' })
  day!: string;

  @OfTask()
  task!: [number, string];

  @Property({ type: 'text', nullable: true })
  note: string | null = null;
}
