import 'reflect-metadata';
import { OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { UserProgress } from '../accounts/progress.entity.js';
import type { Language } from '../languages/language.js';

/** All that is ever mailed. */
export type MailKind = 'RESET' | 'CONFIRM' | 'EMAIL_CHANGED' | 'PASSWORD_CHANGED';

/** A mail that waits to be sent. Its text, and the secret in its link, are made when it is. */
@Entity({ tableName: 'mails' })
@Index({ name: 'mails_due_at_index', properties: ['dueAt'] })
@Index({ name: 'mails_user_id_index', properties: ['userId'] })
export class Mail {
  [OptionalProps]?: 'attempts';

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** Null where somebody asked for a reset: whether there is such an account is looked up later. */
  @ManyToOne(() => UserProgress, {
    mapToPk: true,
    fieldName: 'user_id',
    nullable: true,
    deleteRule: 'cascade',
    updateRule: 'no action',
  })
  userId: string | null = null;

  @Property({ type: 'text' })
  kind!: MailKind;

  /** The address that was given, or that is to be told. */
  @Property({ type: 'text' })
  address!: string;

  /** The link that was made together with the mail. */
  @Property({ type: 'uuid', nullable: true })
  linkId: string | null = null;

  /** The language of the request which caused it, for whoever has chosen none. */
  @Property({ type: 'text' })
  language!: Language;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'int', default: 0 })
  attempts!: number;

  /** The process that sends it. */
  @Property({ type: 'uuid', nullable: true })
  takenBy: string | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  takenUntil: Date | null = null;

  /** When its text was handed to the mail server: from then on, only an answer can tell that it was not accepted. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  handedAt: Date | null = null;
}
