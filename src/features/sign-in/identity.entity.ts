import 'reflect-metadata';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../account/progress.entity.js';
import { OwnedBy } from '../account/user.entity.js';

/** Who an account is at a provider of OpenID Connect: by issuer and subject, never by an e-mail address. */
@Entity({ tableName: 'identities' })
@Index({
  name: 'identities_issuer_subject_unique',
  expression: 'create unique index "identities_issuer_subject_unique" on "identities" ("issuer", "subject")',
})
@Index({ name: 'identities_user_id_index', properties: ['userId'] })
export class Identity {
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @OwnedBy(() => UserProgress)
  userId!: string;

  @Property({ type: 'text' })
  issuer!: string;

  @Property({ type: 'text' })
  subject!: string;

  @Property({ type: 'datetime', length: 3 })
  connectedAt!: Date;

  /** The session that the last log-in with it began. */
  @Property({ type: 'uuid', nullable: true })
  sessionId: string | null = null;

  /** When that was. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  loggedInAt: Date | null = null;
}
