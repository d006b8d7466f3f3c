import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from './progress.entity.js';
import { OwnedBy } from './user.entity.js';

/** A session that was taken back. Kept as long as tokens last. */
@Entity({ tableName: 'revocations' })
@Index({ name: 'revocations_user_id_index', properties: ['userId'] })
export class Revocation {
  /** The token's id. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'datetime', length: 3 })
  revokedAt!: Date;
}
