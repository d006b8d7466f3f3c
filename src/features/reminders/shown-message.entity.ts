import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';

/** A message that a receiver shows, until it is dismissed or nobody dismisses it any more. */
@Entity({ tableName: 'shown_messages' })
@Index({ name: 'shown_messages_user_id_rings_at_index', properties: ['userId', 'ringsAt'] })
@Index({ name: 'shown_messages_rings_at_index', properties: ['ringsAt'] })
export class ShownMessage {
  static readonly isPassing = true;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'uuid' })
  channelId!: string;

  @Property({ type: 'datetime', length: 3 })
  ringsAt!: Date;

  /** Those that it names. */
  @Property({ type: 'bigint[]', columnType: 'bigint[]' })
  taskIds!: number[];
}
