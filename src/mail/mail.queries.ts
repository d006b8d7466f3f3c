import { randomUUID } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { announceToAll } from '../database/announcements/announcements.js';
import type { Columns } from '../database/columns.js';
import type { Language } from '../languages/language.js';
import type { Mail, MailKind } from './mail.entity.js';

export type MailTables = { mails: Columns<Mail> };

/** The topic that wakes whoever sends. */
export const MAILS = 'mails';

const SENDER_LOCK = 7_783_547;

export interface NewMail {
  kind: MailKind;
  userId: string | null;
  address: string;
  linkId?: string;
  language: Language;
  now: Date;
}

/** For the transaction that causes the mail: it is sent once that is committed, or never. */
export async function insertMail(query: QueryExecutorProvider, mail: NewMail): Promise<void> {
  const { kind, userId, address, linkId = null, language, now } = mail;
  await sql`
    with mail as (
      insert into mails (id, user_id, kind, address, link_id, language, created_at, due_at)
      values (${randomUUID()}::uuid, ${userId}::uuid, ${kind}, ${address}, ${linkId}::uuid, ${language},
        ${now}::timestamptz, ${now}::timestamptz)
      returning id
    )
    select ${announceToAll(MAILS, sql`id`, sql`null`)} from mail`.execute(query);
}

/** A mail that this process sends. */
export type TakenMail = Pick<
  Mail,
  'id' | 'userId' | 'kind' | 'address' | 'linkId' | 'language' | 'createdAt' | 'attempts'
>;

interface Taking {
  processId: string;
  now: Date;
  until: Date;
  most: number;
}

/** In a transaction: while another process sends, there is nothing to take. */
export async function takeDue(
  query: Kysely<MailTables>,
  { processId, now, until, most }: Taking,
): Promise<TakenMail[]> {
  const lock = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${SENDER_LOCK}) as "isOurs"`.execute(query);
  if (!lock.rows[0]?.isOurs) return [];
  const { rows } = await sql<TakenMail>`
    update mails set taken_by = ${processId}::uuid, taken_until = ${until}::timestamptz
    where id = any(array(
      select id from mails
      where due_at <= ${now}::timestamptz and handed_at is null
        and (taken_until is null or taken_until <= ${now}::timestamptz)
      order by due_at, id limit ${most}
    )) and not exists (
      select from mails other where other.taken_until > ${now}::timestamptz and other.taken_by <> ${processId}::uuid
    )
    returning id, user_id as "userId", kind, address, link_id as "linkId", language, created_at as "createdAt",
      attempts`.execute(query);
  return rows.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

/** Deletes those whose process ended between handing them over and hearing the answer. Returns how many. */
export async function deleteUnanswered(query: Kysely<MailTables>, now: Date): Promise<number> {
  const { rows } = await sql`
    delete from mails where handed_at is not null and taken_until <= ${now}::timestamptz returning id`.execute(
    query,
  );
  return rows.length;
}

/** Returns false if the mail is not this process's any more, which then must not send it. */
export async function markHanded(
  query: Kysely<MailTables>,
  { id, processId }: Held,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update mails set handed_at = ${now}::timestamptz
    where id = ${id}::uuid and taken_by = ${processId}::uuid and handed_at is null and taken_until > ${now}::timestamptz
    returning id`.execute(query);
  return rows.length > 0;
}

/** A mail that this process has taken. */
export interface Held {
  id: string;
  processId: string;
}

export const deleteMail = (query: Kysely<MailTables>, { id, processId }: Held) =>
  query.deleteFrom('mails').where('id', '=', id).where('taken_by', '=', processId).execute();

/** The mail server did not accept it: it is sent again from `dueAt` on. */
export const putBack = (
  query: Kysely<MailTables>,
  { id, processId }: Held,
  { attempts, dueAt }: Pick<Mail, 'attempts' | 'dueAt'>,
) =>
  query
    .updateTable('mails')
    .set({ attempts, due_at: dueAt, taken_by: null, taken_until: null, handed_at: null })
    .where('id', '=', id)
    .where('taken_by', '=', processId)
    .execute();

/** Gives back the mails that were taken and not handed over. */
export const release = (query: Kysely<MailTables>, processId: string) =>
  query
    .updateTable('mails')
    .set({ taken_by: null, taken_until: null })
    .where('taken_by', '=', processId)
    .where('handed_at', 'is', null)
    .execute();

export async function deleteOlder(query: Kysely<MailTables>, than: Date): Promise<number> {
  const { rows } = await sql`
    delete from mails where created_at <= ${than}::timestamptz and handed_at is null returning id`.execute(
    query,
  );
  return rows.length;
}

export async function countWaiting(query: Kysely<MailTables>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from mails`.execute(query);
  return rows[0]?.count ?? 0;
}
