import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { UserProgress } from '../../account/progress.entity.js';
import { OwnedBy } from '../../account/user.entity.js';

export const ChannelKind = { PUSH: 'PUSH', NTFY: 'NTFY', APPRISE: 'APPRISE' } as const;
export type ChannelKind = keyof typeof ChannelKind;

export const ChannelState = { WORKING: 'WORKING', FAILING: 'FAILING', ENDED: 'ENDED' } as const;
export type ChannelState = keyof typeof ChannelState;

registerEnumType(ChannelKind, {
  name: 'ChannelKind',
  description: 'How messages of a channel are sent.',
  valuesConfig: {
    PUSH: { description: 'Web Push, to a browser.' },
    NTFY: { description: 'The ntfy server of this service.' },
    APPRISE: { description: 'The Apprise API of this service, which passes messages on to many others.' },
  },
});

registerEnumType(ChannelState, {
  name: 'ChannelState',
  description: 'Whether messages of a channel arrive.',
  valuesConfig: {
    WORKING: { description: 'The last message was taken, or none was sent yet.' },
    FAILING: { description: 'The last message was not taken. The service tries the next ones.' },
    ENDED: { description: 'The receiver is gone for good: nothing is sent any more.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A device or a service that reminders are sent to.' })
@Entity({ tableName: 'channels' })
@Index({
  name: 'channels_push_unique',
  expression: `create unique index "channels_push_unique" on "channels" ("user_id", "address") where "kind" = 'PUSH'`,
})
@Index({ name: 'channels_user_id_created_at_index', properties: ['userId', 'createdAt'] })
export class Channel {
  @Field(() => ID, { description: 'The id of the channel: a UUID.' })
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Field(() => ChannelKind, { description: 'How messages are sent.' })
  @Property({ type: 'text' })
  kind!: ChannelKind;

  @Field({ description: 'What the user calls it.' })
  @Property({ type: 'text' })
  name!: string;

  /** Whose slowness must not delay others. */
  @Property({ type: 'text' })
  host!: string;

  /** The endpoint of a browser, the topic of ntfy, or the URLs of Apprise. */
  @Property({ type: 'text' })
  address!: string;

  @Property({ type: 'text', nullable: true })
  p256dh: string | null = null;

  @Property({ type: 'text', nullable: true })
  auth: string | null = null;

  /** Of a topic. */
  @Property({ type: 'text', nullable: true })
  token: string | null = null;

  @Field(() => ChannelState, { description: 'Whether messages arrive.' })
  @Property({ type: 'text' })
  state!: ChannelState;

  @Field({ description: 'When the channel was added.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When a message was last taken; null if none was taken yet.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastSentAt: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Why the last message was not taken; null if it was.',
  })
  @Property({ type: 'text', nullable: true })
  lastError: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  failingSince: Date | null = null;
}
