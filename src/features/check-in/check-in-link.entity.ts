import 'reflect-metadata';
import { BigIntType, DecimalType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, ObjectType } from 'type-graphql';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';
import { OfTask } from '../habits/task.entity.js';

@ObjectType({
  simpleResolvers: true,
  description: 'An address that completes one task, for stickers, shortcuts and buttons.',
})
@Entity({ tableName: 'check_in_links' })
@Index({
  name: 'check_in_links_user_id_task_id_created_at_index',
  properties: ['userId', 'taskId', 'createdAt'],
})
@Index({
  name: 'check_in_links_digest_unique',
  expression: 'create unique index "check_in_links_digest_unique" on "check_in_links" ("digest")',
})
export class CheckInLink {
  @Field(() => ID, { description: 'The id of the check-in link: a UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: new BigIntType('number') })
  taskId!: number;

  @OfTask()
  task!: [number, string];

  @Field({ description: 'What the link is for, such as the place of its sticker.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => Float, {
    nullable: true,
    description: 'The amount that the link records; null if it records none.',
  })
  @Property({ type: new DecimalType('number'), columnType: 'numeric', nullable: true })
  amount: number | null = null;

  /** The SHA-256, in base64url, of the part of the address that nobody can guess. */
  @Property({ type: 'text' })
  digest!: string;

  @Field({ description: 'When the link was made.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When the link was last used; null if it was not used yet.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;

  /** When the minute began in which it counts once. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  countsFrom: Date | null = null;

  /** What can be taken back. */
  @Property({ type: new BigIntType('number'), nullable: true })
  lastCompletionId: number | null = null;
}
