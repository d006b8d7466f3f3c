import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../accounts/progress.entity.js';
import { OwnedBy } from '../accounts/user.entity.js';

/** Waiting: to be sent at `tryAt`. Sending: a process sends it now, or has died doing so. Sent: a receiver shows it. */
export const MessageState = { WAITING: 'WAITING', SENDING: 'SENDING', SENT: 'SENT' } as const;
export type MessageState = keyof typeof MessageState;

/** What rings for one user in one minute, on one channel. */
@Entity({ tableName: 'messages' })
@Index({
  name: 'messages_channel_unique',
  expression:
    'create unique index "messages_channel_unique" on "messages" ("user_id", "channel_id", "rings_at")',
})
@Index({
  name: 'messages_try_at_index',
  expression: 'create index "messages_try_at_index" on "messages" ("try_at") where "try_at" is not null',
})
@Index({
  name: 'messages_host_try_at_index',
  expression:
    'create index "messages_host_try_at_index" on "messages" ("host", "try_at") where "try_at" is not null',
})
@Index({ name: 'messages_rings_at_index', properties: ['ringsAt'] })
export class Message {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'uuid' })
  channelId!: string;

  /** The host of its channel, whose messages are sent in turn. */
  @Property({ type: 'text' })
  host!: string;

  @Property({ type: 'datetime', length: 3 })
  ringsAt!: Date;

  @Property({ type: 'bigint[]', columnType: 'bigint[]' })
  taskIds!: number[];

  @Property({ type: 'boolean' })
  isOfDay!: boolean;

  @Property({ type: 'text' })
  state!: MessageState;

  @Property({ type: 'int' })
  tries!: number;

  /** While it is sent: when another process may take it. Null where nobody tries any more. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  tryAt: Date | null = null;
}
