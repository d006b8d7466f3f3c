import { randomUUID } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Columns } from '../../database/columns.js';
import { type AccountTables, isLetIn } from '../account/account.queries.js';
import type { AccountLink, LinkPurpose } from './account-link.entity.js';

export type LinkTables = AccountTables & { account_links: Columns<AccountLink> };

type Query = Kysely<LinkTables>;

/** Whose address it is, and since when it is known to be theirs. */
export interface KnownPerson {
  email: string;
  emailConfirmedAt: Date | null;
}

/** Before anything else of the account, as all do that change who may come in, or delete it. */
export const lockPerson = (query: Query, userId: string): Promise<KnownPerson | undefined> =>
  query
    .selectFrom('users')
    .select(['email', 'email_confirmed_at as emailConfirmedAt'])
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();

export async function isEmailConfirmed(query: Query, userId: string): Promise<boolean> {
  const found = await query
    .selectFrom('users')
    .select('email_confirmed_at')
    .where('id', '=', userId)
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}

export type NewLink = Omit<AccountLink, 'id'>;

/** Returns its id. */
export async function insertLink(query: QueryExecutorProvider, link: NewLink): Promise<string> {
  const { userId, purpose, digest, email, createdAt, expiresAt } = link;
  const id = randomUUID();
  await sql`
    insert into account_links (id, user_id, purpose, digest, email, created_at, expires_at)
    values (${id}::uuid, ${userId}::uuid, ${purpose}, ${digest}, ${email},
      ${createdAt}::timestamptz, ${expiresAt}::timestamptz)`.execute(query);
  return id;
}

/** Leaves printed ones, which are the operator's. */
export const deleteMailedLinks = (query: Query, userId: string, purposes: LinkPurpose[]) =>
  query
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where('purpose', 'in', purposes)
    .where('email', 'is not', null)
    .execute();

export const deleteLinks = (query: Query, userId: string, purposes: LinkPurpose[]) =>
  query.deleteFrom('account_links').where('user_id', '=', userId).where('purpose', 'in', purposes).execute();

/** A later change may have been made by whoever made this one. */
export const deleteUndosSince = (query: Query, { userId, createdAt }: FoundLink) =>
  query
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'UNDO_EMAIL')
    .where('created_at', '>=', createdAt)
    .execute();

/** When the change of address before the next one was, by its link. */
export async function lastChange(query: Query, userId: string): Promise<Date | null> {
  const { at } = await query
    .selectFrom('account_links')
    .select((select) => select.fn.max('created_at').as('at'))
    .where('user_id', '=', userId)
    .where('purpose', '=', 'UNDO_EMAIL')
    .executeTakeFirstOrThrow();
  return at;
}

/** Links that have expired go when another one of their user is made. */
export const deleteExpired = (query: Query, userId: string, now: Date) =>
  query.deleteFrom('account_links').where('user_id', '=', userId).where('expires_at', '<=', now).execute();

export type FoundLink = Pick<AccountLink, 'id' | 'userId' | 'email' | 'createdAt'>;

interface Asked {
  purpose: LinkPurpose;
  digest: string;
  now: Date;
}

export const findLink = (query: Query, { purpose, digest, now }: Asked): Promise<FoundLink | undefined> =>
  query
    .selectFrom('account_links')
    .select(['id', 'user_id as userId', 'email', 'created_at as createdAt'])
    .where('digest', '=', digest)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .where(isLetIn(sql.ref('account_links.user_id')))
    .executeTakeFirst();

/** If two use it at once, one gets it. */
export async function takeLink(query: Query, { id, userId }: FoundLink): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom('account_links')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Gives a link its secret, or another one. Returns its row, if it is still there. */
export const setDigest = (query: Query, id: string, digest: string): Promise<FoundLink | undefined> =>
  query
    .updateTable('account_links')
    .set({ digest })
    .where('id', '=', id)
    .returning(['id', 'user_id as userId', 'email', 'created_at as createdAt'])
    .executeTakeFirst();

/** Whether the owner of another account may still take this address back. */
export async function isReserved(query: Query, userId: string, email: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from account_links
    where purpose = 'UNDO_EMAIL' and lower(email collate "C") = ${email}::text and user_id <> ${userId}::uuid
      and expires_at > ${now}::timestamptz limit 1`.execute(query);
  return rows.length > 0;
}
