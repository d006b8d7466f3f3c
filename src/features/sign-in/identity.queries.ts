import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { type CarriedAlong } from '../../base/carried.js';
import { instantShape, objectOf } from '../../base/carried-schema.js';
import { type Columns, isoOf } from '../../database/columns.js';
import type { LinkTables } from './account-link.queries.js';
import type { Identity } from './identity.entity.js';
import { bareIssuer } from './oidc/issuer.js';
import type { OidcExchange } from './oidc-exchange.entity.js';

export type IdentityTables = LinkTables & { identities: Columns<Identity>; log_ins: Columns<OidcExchange> };

type Query = Kysely<IdentityTables>;

/** Who somebody is at a provider. */
export interface AtProvider {
  issuer: string;
  subject: string;
}

export const findUser = async (query: Query, { issuer, subject }: AtProvider): Promise<string | undefined> =>
  (
    await query
      .selectFrom('identities')
      .select('user_id as userId')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst()
  )?.userId;

/** The same person as they are connected here: the provider may have written its issuer with a slash, or without. */
export async function asConnected(query: Query, { issuer, subject }: AtProvider): Promise<AtProvider> {
  const bare = bareIssuer(issuer);
  const found = await query
    .selectFrom('identities')
    .select('issuer')
    .where('subject', '=', subject)
    .where('issuer', 'in', [issuer, bare, `${bare}/`])
    .execute();
  const exact = found.find((each) => each.issuer === issuer);
  return { issuer: (exact ?? found[0])?.issuer ?? issuer, subject };
}

/** Nothing changes if it is connected already. */
export const insertIdentity = (query: Query, userId: string, { issuer, subject }: AtProvider, now: Date) =>
  sql`
    insert into identities (id, user_id, issuer, subject, connected_at)
    values (${randomUUID()}::uuid, ${userId}::uuid, ${issuer}, ${subject}, ${now}::timestamptz)
    on conflict (issuer, subject) do nothing`.execute(query);

/** Remembers which session a log-in has begun. Returns false if the two are not connected. */
export async function noteLogIn(
  query: Query,
  userId: string,
  { issuer, subject }: AtProvider,
  { sessionId, now }: { sessionId: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('identities')
    .set({ session_id: sessionId, logged_in_at: now })
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether this session began with a log-in at the provider after that. */
export async function hasLoggedInSince(
  query: Query,
  { userId, tokenId }: { userId: string; tokenId: string },
  since: Date,
): Promise<boolean> {
  const found = await query
    .selectFrom('identities')
    .select('id')
    .where('user_id', '=', userId)
    .where('session_id', '=', tokenId)
    .where('logged_in_at', '>', since)
    .executeTakeFirst();
  return found !== undefined;
}

export type NewExchange = Omit<OidcExchange, 'id'>;

/** Deletes those that nobody has fetched. */
export async function insertExchange(query: Query, exchange: NewExchange, now: Date): Promise<void> {
  const { userId, issuer, subject, codeDigest, browserDigest, sessionId, expiresAt } = exchange;
  await query.deleteFrom('log_ins').where('expires_at', '<=', now).execute();
  await sql`
    insert into log_ins (id, user_id, issuer, subject, code_digest, browser_digest, session_id, expires_at)
    values (${randomUUID()}::uuid, ${userId}::uuid, ${issuer}, ${subject}, ${codeDigest}, ${browserDigest},
      ${sessionId}::uuid, ${expiresAt}::timestamptz)`.execute(query);
}

export type TakenExchange = Pick<OidcExchange, 'userId' | 'issuer' | 'subject' | 'sessionId'>;

/** If two ask at once, one gets it. */
export const takeExchange = (
  query: Query,
  { codeDigest, browserDigest, now }: { codeDigest: string; browserDigest: string; now: Date },
): Promise<TakenExchange | undefined> =>
  query
    .deleteFrom('log_ins')
    .where('code_digest', '=', codeDigest)
    .where('browser_digest', '=', browserDigest)
    .where('expires_at', '>', now)
    .returning(['user_id as userId', 'issuer', 'subject', 'session_id as sessionId'])
    .executeTakeFirst();

export type ListedIdentity = Pick<Identity, 'id' | 'userId' | 'issuer' | 'connectedAt'>;

/** Oldest first. */
export const listIdentities = (query: Query, userIds: readonly string[]): Promise<ListedIdentity[]> =>
  query
    .selectFrom('identities')
    .select(['id', 'user_id as userId', 'issuer', 'connected_at as connectedAt'])
    .where(sql<boolean>`user_id = any(${userIds}::uuid[])`)
    .orderBy('connected_at')
    .orderBy('id')
    .execute();

export async function deleteIdentity(query: Query, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom('identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Somebody else may have had the account since then. Deletes what they may have left in it: log-ins at a provider,
 * channels of reminders, calendars, check-in links, and webhooks, older ones too that lead elsewhere since.
 */
export async function deleteLeftBehind(query: Query, userId: string, since: Date): Promise<void> {
  await sql`
    with others as (
      delete from identities where user_id = ${userId}::uuid and connected_at >= ${since}::timestamptz
    ), receivers as (
      delete from channels where user_id = ${userId}::uuid and created_at >= ${since}::timestamptz
    ), readers as (
      delete from calendar_feeds where user_id = ${userId}::uuid and created_at >= ${since}::timestamptz
    )
    delete from check_in_links where user_id = ${userId}::uuid and created_at >= ${since}::timestamptz`.execute(
    query,
  );
  // Last, and in the order of whoever sends: the feed first, and then its webhooks.
  await sql`select from event_feeds where user_id = ${userId}::uuid for no key update`.execute(query);
  await sql`
    delete from webhooks where user_id = ${userId}::uuid
      and greatest(created_at, url_changed_at) >= ${since}::timestamptz`.execute(query);
}

/** Before an address is proven, somebody else may have made the account and connected a log-in of their own. */
export const deleteIdentitiesBefore = (query: Query, userId: string, proven: Date) =>
  query.deleteFrom('identities').where('user_id', '=', userId).where('connected_at', '<', proven).execute();

/** The ways in that an account has: a log-in at a former provider opens nothing. Under the lock of the person. */
export async function waysIn(query: Query, userId: string, issuer: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (
      (select count(*) from identities where user_id = ${userId} and rtrim(issuer, '/') = ${bareIssuer(issuer)}) +
      (select count(*) from users where id = ${userId} and password_hash is not null)
    )::int as count`.execute(query);
  return rows[0]?.count ?? 0;
}

/** Who the user is at providers of OpenID Connect. */
export const carriedIdentities: CarriedAlong = {
  part: 'account',
  name: 'identities',
  shape: {
    description: 'Log-ins at providers of OpenID Connect; absent without any.',
    type: 'array',
    items: objectOf({
      issuer: { type: 'string' },
      subject: { type: 'string' },
      connectedAt: instantShape,
    }),
  },
  exported: (userId) => sql`(
    select json_agg(json_build_object('issuer', issuer, 'subject', subject,
      'connectedAt', ${isoOf(sql`connected_at`)}) order by connected_at, id)
    from identities where user_id = ${userId})`,
};
