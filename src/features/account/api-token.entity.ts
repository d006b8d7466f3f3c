import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from './progress.entity.js';
import { OwnedBy } from './user.entity.js';

/** A token for a script, with what it may do. Only a digest of it is stored. */
@Entity({ tableName: 'api_tokens' })
@Index({ name: 'api_tokens_user_id_created_at_id_index', properties: ['userId', 'createdAt', 'id'] })
@Index({
  name: 'api_tokens_hash_unique',
  expression: 'create unique index "api_tokens_hash_unique" on "api_tokens" ("hash")',
})
export class ApiToken {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'text' })
  name!: string;

  /** SHA-256, in base64url. */
  @Property({ type: 'text' })
  hash!: string;

  /** Separated by spaces. */
  @Property({ type: 'text' })
  scopes!: string;

  @Property({ type: 'text' })
  ending!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3, nullable: true })
  expiresAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;
}
