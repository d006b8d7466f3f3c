import 'reflect-metadata';
import { BigIntType } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from './progress.entity.js';
import { OwnedBy } from './user.entity.js';

/** What was taken back: one token, or all of a user that are older than a generation. Kept as long as tokens last. */
@Entity({ tableName: 'revocations' })
@Index({ name: 'revocations_change_id_index', properties: ['change', 'id'] })
@Index({ name: 'revocations_revoked_at_index', properties: ['revokedAt'] })
@Index({ name: 'revocations_user_id_index', properties: ['userId'] })
export class Revocation {
  /** Of the token, if it is about one. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  /** All tokens of earlier generations; null if it is about one token. */
  @Property({ type: 'int', nullable: true })
  generation: number | null = null;

  @Property({ type: 'datetime', length: 3 })
  revokedAt!: Date;

  /** The number of the transaction that wrote it. */
  @Property({ type: new BigIntType('number') })
  change!: number;
}
