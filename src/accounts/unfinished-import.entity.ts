import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** An import that is under way in several transactions, and what the account was before. */
@Entity({ tableName: 'unfinished_imports' })
export class UnfinishedImport {
  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  /** The user's tasks from this id to the last are the import's. */
  @Property({ type: new BigIntType('number') })
  firstTaskId!: number;

  @Property({ type: new BigIntType('number') })
  lastTaskId!: number;

  @Property({ type: 'text', nullable: true })
  timeZone: string | null = null;

  @Property({ type: 'int' })
  dayStartsAt!: number;
}
