import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Check, Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';
import { ChallengeTemplate } from './template.entity.js';

export const ChallengeStatus = { ACTIVE: 'ACTIVE', COMPLETED: 'COMPLETED', ABANDONED: 'ABANDONED' } as const;
export type ChallengeStatus = keyof typeof ChallengeStatus;

registerEnumType(ChallengeStatus, {
  name: 'ChallengeStatus',
  description: 'The status of a challenge.',
  valuesConfig: {
    ACTIVE: { description: 'Accepted and still running; at most one per user.' },
    COMPLETED: { description: 'Ended by its user as completed.' },
    ABANDONED: { description: 'Ended by its user without being completed.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A challenge that a user accepted.' })
@Entity({ tableName: 'user_challenges' })
@Check({ name: 'user_challenges_status_check', expression: `status in ('ACTIVE', 'COMPLETED', 'ABANDONED')` })
@Check({
  name: 'user_challenges_completed_at_check',
  expression: `(completed_at is not null) = (status = 'COMPLETED')`,
})
@Index({
  name: 'user_challenges_active_unique',
  expression: `create unique index "user_challenges_active_unique" on "user_challenges" ("user_id") where "status" = 'ACTIVE'`,
})
@Index({ name: 'user_challenges_user_id_start_date_id_index', properties: ['userId', 'startDate', 'id'] })
export class Challenge {
  static readonly spreadBy = 'user_id';

  // Before userId: the other way round, MikroORM silently loses updates to a row that it has just inserted.
  @Field(() => ID, { description: 'The id: a number, the same in GraphQL and REST.' })
  @PrimaryKey({ type: new BigIntType('number'), generated: 'by default as identity', autoincrement: true })
  id!: number;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @ManyToOne(() => ChallengeTemplate, { mapToPk: true, fieldName: 'template_id', updateRule: 'no action' })
  templateId!: number;

  @Field(() => ChallengeStatus, {
    description: 'Whether the challenge is running, and how it ended if it is not.',
  })
  @Property({ type: 'text' })
  status!: ChallengeStatus;

  /** When it was accepted: `createdAt`, under the name that REST has for it. */
  @Property({ type: 'datetime', length: 3 })
  startDate!: Date;

  /** The user's day on which it was accepted, once days have been cut otherwise than on that one; null before. */
  @Property({ type: 'date', nullable: true })
  startedOn: string | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the challenge was completed; null unless it is COMPLETED.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Notes on the progress; null until there are any.' })
  @Property({ type: 'text', nullable: true })
  notes: string | null = null;

  /** Once it has ended: those that were linked then, whatever they are linked to later. */
  @Property({ type: 'bigint[]', columnType: 'bigint[]', nullable: true, lazy: true })
  linkedTaskIds?: number[] | null;

  @Field({ description: 'When the challenge was accepted.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field({ description: 'When the status or the notes last changed.' })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
