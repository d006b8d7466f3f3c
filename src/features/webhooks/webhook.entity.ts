import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { EventKind } from '../account/progress.announcement.js';
import { EventFeed } from '../event-feed/feed.entity.js';

export const WebhookState = { ACTIVE: 'ACTIVE', FAILING: 'FAILING', PAUSED: 'PAUSED' } as const;
export type WebhookState = keyof typeof WebhookState;

export const DeliveryError = { UNREACHABLE: 'UNREACHABLE', TIMEOUT: 'TIMEOUT', REFUSED: 'REFUSED' } as const;
export type DeliveryError = keyof typeof DeliveryError;

registerEnumType(WebhookState, {
  name: 'WebhookState',
  description: 'Whether events of a webhook arrive.',
  valuesConfig: {
    ACTIVE: { description: 'The last event was taken, or none was sent yet.' },
    FAILING: {
      description: 'The oldest event was not taken, and is tried again; the others wait behind it.',
    },
    PAUSED: {
      description:
        'Nothing is sent until it is resumed: it has failed for days, or the receiver has answered 410.',
    },
  },
});

registerEnumType(DeliveryError, {
  name: 'DeliveryError',
  description: 'Why a try was not taken.',
  valuesConfig: {
    UNREACHABLE: { description: 'Nothing answered, or the service sends nothing to that address.' },
    TIMEOUT: { description: 'The answer did not come in time.' },
    REFUSED: { description: 'The answer had a status that is not 2xx.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'An address that your events are sent to.' })
@Entity({ tableName: 'webhooks' })
@Index({ name: 'webhooks_user_id_created_at_index', properties: ['userId', 'createdAt'] })
export class Webhook {
  static readonly isOnCoordinator = true;

  @Field(() => ID, { description: 'The id of the webhook: a UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => EventFeed, {
    primary: true,
    mapToPk: true,
    fieldName: 'user_id',
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  userId!: string;

  @Field({ description: 'What you call it.' })
  @Property({ type: 'text' })
  name!: string;

  @Field({ description: 'Where events are sent.' })
  @Property({ type: 'text' })
  url!: string;

  /** Whose slowness must not delay others. */
  @Property({ type: 'text' })
  host!: string;

  /** In base64: what signs. */
  @Property({ type: 'text' })
  secret!: string;

  @Field(() => [EventKind], {
    nullable: true,
    description: 'The kinds of events that are sent; null for all.',
  })
  @Property({ type: 'array', columnType: 'text[]', nullable: true })
  kinds: EventKind[] | null = null;

  @Field(() => WebhookState, { description: 'Whether events arrive.' })
  @Property({ type: 'text' })
  state!: WebhookState;

  /** Up to here all is sent, or not wanted. */
  @Property({ type: 'int' })
  lastNumber!: number;

  /** How often the oldest event that is not sent was tried. */
  @Property({ type: 'int', default: 0 })
  attempts!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when events have not been taken; null if they are.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When an event was last taken; null if none was yet.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastDeliveredAt: Date | null = null;

  /** When it was last set to another address: whoever did that may have come into the account unasked. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  urlChangedAt: Date | null = null;

  @Field({ description: 'When it was made.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}

/** One try to deliver an event. */
@ObjectType('Delivery', { simpleResolvers: true, description: 'One try to send an event to a webhook.' })
@Entity({ tableName: 'webhook_deliveries' })
@Index({ name: 'webhook_deliveries_webhook_id_id_index', properties: ['webhookId', 'id'] })
export class Delivery {
  static readonly isOnCoordinator = true;

  @PrimaryKey({ type: new BigIntType('number'), generated: 'by default as identity', autoincrement: true })
  id!: number;

  @PrimaryKey({ type: 'uuid' })
  userId!: string;

  @Property({ type: 'uuid' })
  webhookId!: string;

  @ManyToOne(() => Webhook, {
    mapToPk: true,
    joinColumns: ['webhook_id', 'user_id'],
    referencedColumnNames: ['id', 'user_id'],
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  webhook!: [string, string];

  /** Of the event; null for a test. */
  @Property({ type: 'int', nullable: true })
  number: number | null = null;

  @Field({ description: 'When it was tried.' })
  @Property({ type: 'datetime', length: 3 })
  at!: Date;

  @Field(() => Int, { description: 'Which try of this event it was, from 1.' })
  @Property({ type: 'int' })
  attempt!: number;

  @Field(() => Int, { nullable: true, description: 'The status of the answer; null if there was none.' })
  @Property({ type: 'int', nullable: true })
  status: number | null = null;

  @Field(() => DeliveryError, { nullable: true, description: 'Why it was not taken; null if it was.' })
  @Property({ type: 'text', nullable: true })
  error: DeliveryError | null = null;
}
