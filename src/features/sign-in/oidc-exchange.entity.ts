import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';

/** Somebody who came back from the provider, and whose browser is to fetch its session. Only digests are stored. */
@Entity({ tableName: 'log_ins' })
@Index({
  name: 'log_ins_code_digest_unique',
  expression: 'create unique index "log_ins_code_digest_unique" on "log_ins" ("code_digest")',
})
@Index({ name: 'log_ins_user_id_index', properties: ['userId'] })
@Index({ name: 'log_ins_expires_at_index', properties: ['expiresAt'] })
export class OidcExchange {
  static readonly isPassing = true;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'text' })
  issuer!: string;

  @Property({ type: 'text' })
  subject!: string;

  /** The digest of the code in the address of the page. */
  @Property({ type: 'text' })
  codeDigest!: string;

  /** The digest of the cookie. */
  @Property({ type: 'text' })
  browserDigest!: string;

  /** The session that wants to connect the two; null of a log-in. */
  @Property({ type: 'uuid', nullable: true })
  sessionId: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
