import { randomUUID } from 'node:crypto';
import type { QueryExecutorProvider } from 'kysely';
import type { Language } from '../../base/languages/language.js';
import { insertJob, type Taken } from '../../jobs/jobs.queries.js';

/** All that is ever mailed. */
export type MailKind =
  | 'RESET'
  | 'CONFIRM'
  | 'EMAIL_CHANGED'
  | 'PASSWORD_CHANGED'
  | 'WEBHOOK_SET'
  | 'WEBHOOK_PAUSED';

/** A mail that waits to be sent. Its text, and the secret in its link, are made when it is. */
export interface Mail {
  kind: MailKind;
  /** The address that was given, or that is to be told. */
  address: string;
  /** The link that was made together with the mail. */
  linkId: string | null;
  /** The language of the request which caused it, for whoever has chosen none. */
  language: Language;
  /** How often it was handed to a mail server that has not said whether it accepts it. */
  copies: number;
}

/** A mail that this process sends. Without a user, whether there is such an account is looked up now. */
export type TakenMail = Mail & Pick<Taken<Mail>, 'id' | 'userId'>;

/** The kind of its jobs. */
export const MAIL = 'mail';

/** One session with the mail server. */
const LANE = 'smtp';

export interface NewMail extends Omit<Mail, 'linkId' | 'copies'> {
  userId: string | null;
  linkId?: string;
  now: Date;
}

/** For the transaction that causes the mail: it is sent once that is committed, or never. */
export async function insertMail(query: QueryExecutorProvider, mail: NewMail): Promise<void> {
  const { userId, now, linkId = null, ...rest } = mail;
  const id = randomUUID();
  const payload: Mail = { ...rest, linkId, copies: 0 };
  await insertJob(query, { id, kind: MAIL, key: id, userId, lane: LANE, payload, now });
}
