import 'reflect-metadata';
import { BigIntType, DecimalType } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';
import { ChallengeTemplate } from '../challenges/template.entity.js';
import type { Period } from '../schedules/schedule.js';
import type { TargetKind, TargetPeriod } from '../schedules/target.js';
import { Colour } from './colour.js';

@ObjectType({
  simpleResolvers: true,
  description: 'Something that a user means to do again and again: a habit or a goal.',
})
@Entity({ tableName: 'tasks' })
@Index({
  name: 'tasks_user_id_place_index',
  expression:
    'create index "tasks_user_id_place_index" on "tasks" ("user_id", (coalesce(listed_at, created_at)), (coalesce(rank, id))) where "archived_at" is null',
})
@Index({
  name: 'tasks_user_id_archived_place_index',
  expression:
    'create index "tasks_user_id_archived_place_index" on "tasks" ("user_id", (coalesce(listed_at, created_at)), (coalesce(rank, id))) where "archived_at" is not null',
})
@Index({ name: 'tasks_user_id_created_at_id_index', properties: ['userId', 'createdAt', 'id'] })
@Index({
  name: 'tasks_user_id_challenge_template_id_created_at_id_index',
  expression:
    'create index "tasks_user_id_challenge_template_id_created_at_id_index" on "tasks" ("user_id", "challenge_template_id", "created_at", "id") where "challenge_template_id" is not null',
})
@Index({
  name: 'tasks_user_id_idempotency_key_unique',
  expression:
    'create unique index "tasks_user_id_idempotency_key_unique" on "tasks" ("user_id", "idempotency_key") where "idempotency_key" is not null',
})
export class Task {
  static readonly spreadBy = 'user_id';

  // Before userId: the other way round, MikroORM silently loses updates to a row that it has just inserted.
  @Field(() => ID, { description: 'The id: a number, the same in GraphQL and REST.' })
  @PrimaryKey({ type: new BigIntType('number'), generated: 'by default as identity', autoincrement: true })
  id!: number;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @ManyToOne(() => ChallengeTemplate, {
    nullable: true,
    mapToPk: true,
    fieldName: 'challenge_template_id',
    updateRule: 'no action',
    deleteRule: 'no action',
  })
  challengeTemplateId: number | null = null;

  @Field({ description: 'The display name.' })
  @Property({ type: 'text' })
  title!: string;

  @Field(() => String, { nullable: true, description: 'Free text; null if there is none.' })
  @Property({ type: 'text', nullable: true })
  description: string | null = null;

  @Field(() => Float, {
    description: 'The points that a completion earns from now on. A completion of a limit earns none.',
  })
  @Property({ type: new DecimalType('number'), columnType: 'numeric' })
  points!: number;

  @Field({ description: 'A label for your own use. It has no effect on the schedule.' })
  @Property({ type: 'boolean' })
  isDailyRoutine!: boolean;

  @Field(() => Int, { description: 'How many times the task has ever been completed.' })
  @Property({ type: 'int', default: 0 })
  completionCount!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'When the task was last completed; null if it never was.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastCompletedAt: Date | null = null;

  @Field({ description: 'When the task was created.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field({
    description: 'When the task was last edited. Completing, moving and archiving it are no edits.',
  })
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description:
      'When the task was archived; null while it is in use. An archived task is listed only on request, and cannot be completed.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  archivedAt: Date | null = null;

  // The schedule: null for every day, or one of the three. `scheduleOf` reads it.

  /** Bits, Monday first. */
  @Property({ type: 'int', nullable: true })
  weekdays: number | null = null;

  @Property({ type: 'int', nullable: true })
  everyDays: number | null = null;

  @Property({ type: 'int', nullable: true })
  times: number | null = null;

  @Property({ type: 'text', nullable: true })
  period: Period | null = null;

  @Field({
    description:
      'Whether one day late is in time, where the task is due every so many days: the due day is then not missed, and the streak ends a day later. It has no effect on other schedules.',
  })
  @Property({ type: 'boolean', default: false })
  hasGraceDay!: boolean;

  // The target: `targetOf` reads it.

  /** What the amounts of a day, or of a period, must add up to; of a limit, what they may add up to. */
  @Property({ type: new DecimalType('number'), columnType: 'numeric', nullable: true })
  targetAmount: number | null = null;

  @Property({ type: 'text', nullable: true })
  targetUnit: string | null = null;

  @Property({ type: 'text', nullable: true })
  targetKind: TargetKind | null = null;

  @Property({ type: 'text', nullable: true })
  targetPeriod: TargetPeriod | null = null;

  @Field(() => Float, {
    nullable: true,
    description:
      'What one tap adds to the target, such as 10 of 50 pages; null means 1, or what remains if that is less. It is for clients: a completion without an amount counts as before.',
  })
  @Property({ type: new DecimalType('number'), columnType: 'numeric', nullable: true })
  step: number | null = null;

  @Field(() => Colour, {
    nullable: true,
    description:
      'The colour of the task by its name; null if it has none. Each client chooses a shade that can be read on light and dark.',
  })
  @Property({ type: 'text', nullable: true })
  colour: Colour | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'One emoji or other character that stands for the task; null if it has none.',
  })
  @Property({ type: 'text', nullable: true })
  icon: string | null = null;

  @Property({ type: 'string[]', columnType: 'text[]', nullable: true })
  tags: string[] | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'The heading under which the task stands in the list; null if it has none.',
  })
  @Property({ type: 'text', nullable: true })
  section: string | null = null;

  // The place that the user gave the task among the others; null while it is where it was made.

  @Property({ type: 'datetime', length: 3, nullable: true })
  listedAt: Date | null = null;

  @Property({ type: new DecimalType('string'), columnType: 'numeric', nullable: true })
  rank: string | null = null;

  /** The idempotency key that it was created with. */
  @Property({ type: 'text', nullable: true })
  idempotencyKey: string | null = null;

  /** Of the input that it was created with, next to the key. */
  @Property({ type: 'text', nullable: true })
  creationDigest: string | null = null;

  /** The user's day on which it was made, once days have been cut otherwise than on that one; null before. */
  @Property({ type: 'date', nullable: true })
  madeOn: string | null = null;

  /** The day on which it was archived, as `madeOn`. */
  @Property({ type: 'date', nullable: true })
  archivedOn: string | null = null;

  // The latest run of days on which the goal was reached.

  @Property({ type: 'date', nullable: true })
  lastDay: string | null = null;

  @Property({ type: 'date', nullable: true })
  runStartedOn: string | null = null;

  @Property({ type: 'int', default: 0 })
  longestRun!: number;

  /** The units of that run. */
  @Property({ type: 'int', default: 0 })
  runCount!: number;

  /**
   * Whether it is not due every day, has a target, or rests on a day after its run: then a completion does not count by
   * itself (`runAdvancedTo`).
   */
  @Property({ type: 'boolean', default: false })
  runNeedsLens!: boolean;
}

/** Of a row of a task: the foreign key includes the user, so that it cannot belong to another user than its task. */
export const OfTask = (options: { nullable?: boolean } = {}) =>
  ManyToOne(() => Task, {
    mapToPk: true,
    joinColumns: ['task_id', 'user_id'],
    referencedColumnNames: ['id', 'user_id'],
    deleteRule: 'cascade',
    updateRule: 'no action',
    ...options,
  });
