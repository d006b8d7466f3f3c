import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { CalendarDate } from '../../graphql/scalars.js';
import { EventKind } from '../account/progress.announcement.js';
import { OwnedBy, User } from '../account/user.entity.js';

/** Of a user who wants events; nobody else has a row. */
@Entity({ tableName: 'event_feeds' })
export class EventFeed {
  static readonly isOnCoordinator = true;

  @OwnedBy(() => User)
  userId!: string;

  /** Random, and another one when the feed begins anew: cursors name it. */
  @Property({ type: 'text' })
  word!: string;

  @Property({ type: 'int', default: 0 })
  lastNumber!: number;
}

/** The function `tell` of the database writes it, in the statement or transaction that makes the change. */
@ObjectType('Event', { simpleResolvers: true, description: 'A change of something of yours.' })
@Entity({ tableName: 'events' })
@Index({ name: 'events_at_index', properties: ['at'] })
export class FeedEvent {
  static readonly isOnCoordinator = true;

  /** The word of the feed and the number. */
  @Field(() => ID, {
    description: 'The id, which is a cursor as well: pass it as `after` to get what follows.',
  })
  id!: string;

  @ManyToOne(() => EventFeed, {
    primary: true,
    mapToPk: true,
    fieldName: 'user_id',
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  userId!: string;

  @Field(() => Int, { description: 'Its number in your feed: 1, 2, 3 and so on, without a gap.' })
  @PrimaryKey({ type: 'int' })
  number!: number;

  @Field(() => EventKind, { description: 'What has changed.' })
  @Property({ type: 'text' })
  kind!: EventKind;

  @Field({ description: 'When it was recorded.' })
  @Property({ type: 'datetime', length: 3 })
  at!: Date;

  @Field(() => ID, { nullable: true, description: 'The task, even if it is gone; null if it is of none.' })
  @Property({ type: new BigIntType('number'), nullable: true })
  taskId: number | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'The completion, even if it is gone; null if it is of none.',
  })
  @Property({ type: new BigIntType('number'), nullable: true })
  completionId: number | null = null;

  @Field(() => ID, { nullable: true, description: 'The challenge; null if it is of none.' })
  @Property({ type: new BigIntType('number'), nullable: true })
  challengeId: number | null = null;

  @Field(() => ID, { nullable: true, description: 'The pause, even if it is gone; null if it is of none.' })
  @Property({ type: 'uuid', nullable: true })
  pauseId: string | null = null;

  @Field(() => CalendarDate, { nullable: true, description: 'The day that is skipped, or is not any more.' })
  @Property({ type: 'date', nullable: true })
  day: string | null = null;
}
