import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';

/** What a link does for whoever opens it and says so. */
export type LinkPurpose = 'RESET' | 'CONFIRM' | 'UNDO_EMAIL';

/** A link into an account that was mailed or printed. Only a digest of its secret is stored. */
@Entity({ tableName: 'account_links' })
@Index({
  name: 'account_links_digest_unique',
  expression: 'create unique index "account_links_digest_unique" on "account_links" ("digest")',
})
@Index({ name: 'account_links_user_id_index', properties: ['userId'] })
@Index({
  name: 'account_links_email_index',
  expression: `create index "account_links_email_index" on "account_links" (lower("email" collate "C")) where purpose = 'UNDO_EMAIL'`,
})
export class AccountLink {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'text' })
  purpose!: LinkPurpose;

  /** SHA-256, in base64url. Null until the secret is made, when the mail with it is sent. */
  @Property({ type: 'text', nullable: true })
  digest: string | null = null;

  /** The address that it was mailed to; null if it was printed. */
  @Property({ type: 'text', nullable: true })
  email: string | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;
}
