import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../base/scopes.js';
import { announceToAll } from '../../database/announcements/announcements.js';
import type { Columns } from '../../database/columns.js';
import { inTime } from '../../database/outcome.js';
import { statement } from '../../database/statement.js';
import type { AccountTables } from './account.queries.js';
import type { DeletedAccount } from './deleted-account.entity.js';
import type { Revocation } from './revocation.entity.js';
import { TOKEN_DAYS } from './tokens.js';

export type RevocationTables = AccountTables & {
  revocations: Columns<Revocation>;
  deleted_accounts: Columns<DeletedAccount>;
};

/** The topic of what was taken back. */
export const REVOKED = 'revoked';

/** Tells every process that something of the user's was taken back: a token, all of them, or the account. */
export const announceRevoked = (userId: RawBuilder<unknown>): RawBuilder<unknown> =>
  announceToAll(REVOKED, userId, sql`null`);

/** A token may be older than the clock of this process says. */
const REMEMBERED_MS = (TOKEN_DAYS + 1) * 24 * 60 * 60 * 1_000;

interface OneToken {
  userId: string;
  id: string;
  now: Date;
}

/** Ends one token. Returns a row, unless the account is gone. Those that would have ended by themselves are forgotten. */
export const insertRevocation = ({ userId, id, now }: OneToken) => sql<{ userId: string }>`
  with person as (
    select user_id from user_progress where user_id = ${userId} and ${inTime} for key share
  ), earlier as (
    delete from revocations using person
    where revocations.user_id = person.user_id and revoked_at < ${new Date(now.getTime() - REMEMBERED_MS)}::timestamptz
  ), revoked as (
    insert into revocations (id, user_id, revoked_at)
    select ${id}::uuid, user_id, ${now}::timestamptz from person
    on conflict (id, user_id) do nothing
  )
  select user_id as "userId", ${announceRevoked(sql`user_id`)} from person`;

/** The beginning of 2026. */
const START_SECONDS = 1_767_225_600;

/**
 * Above every generation that was given before the last restore: one for each second until then. That of the user may
 * be an older one, so that tokens issued after the backup would not end.
 */
const aboveRestored = sql`
  coalesce((select (extract(epoch from max(restored_at)) - ${sql.lit(START_SECONDS)})::int from restores), 0)`;

/** For the transaction that restores a backup. */
export const noteRestore = (now: Date) => sql`
  insert into restores (restored_at) values (${now}::timestamptz) on conflict do nothing`;

export type Session = Pick<Caller, 'userId' | 'tokenId' | 'generation'>;

/** Asks beside a row of `users` whether the session has not been taken back, and the account is not suspended. */
export const isStanding = ({ userId, tokenId, generation }: Session) => sql<boolean>`
  (token_generation <= ${generation}::bigint and suspended_at is null and not exists (
    select from revocations where revocations.user_id = ${userId} and revocations.id = ${tokenId}::uuid
  ))`;

/** Returns no row if the session has been taken back. Until the end of the transaction, nobody ends all sessions. */
export const lockSession = (session: Session) => sql`
  select 1 as found from users where id = ${session.userId} and ${isStanding(session)} for no key update`;

/**
 * Ends all tokens of the user, whose new ones belong to the generation that it returns; undefined if the account is
 * gone. Under the lock of the user, taken by a statement before: this one does not see a browser that subscribes
 * while it waits.
 */
export async function raiseGeneration(
  query: QueryExecutorProvider,
  userId: string,
): Promise<{ generation: number } | undefined> {
  const { rows } = await sql<{ generation: number }>`
  with raised as (
    update users set token_generation = greatest(token_generation + 1, ${aboveRestored})
    where id = ${userId} and ${inTime}
    returning id, token_generation
  ), earlier as (
    delete from revocations using raised where revocations.user_id = raised.id
  ), browsers as (
    delete from channels using raised where channels.user_id = raised.id and channels.kind = 'PUSH'
  )
  select token_generation as generation, ${announceRevoked(sql`id`)} from raised`.execute(query);
  return rows[0];
}

/** Under the lock of the user. Every process is told, and ends what is open. */
export const setSuspended = (userId: string, since: Date | null) => sql`
  with person as (
    update users set suspended_at = ${since}::timestamptz where id = ${userId} and ${inTime} returning id
  )
  select ${announceRevoked(sql`id`)} from person`;

interface Sessions {
  userIds: readonly string[];
  ids: readonly string[];
  generations: readonly number[];
}

export const sessions = {
  /** The places, from 1, of the sessions that have not been taken back and whose accounts are there, and not suspended. */
  standing: statement(
    (_: Kysely<RevocationTables>, { userIds, ids, generations }: Sessions) =>
      sql<{ place: number }>`
      select place::int from unnest(${userIds}::uuid[], ${ids}::uuid[], ${generations}::bigint[])
        with ordinality as session (user_id, id, generation, place)
      join users on users.id = session.user_id and token_generation <= generation and suspended_at is null
      where not exists (
        select from revocations where revocations.user_id = session.user_id and revocations.id = session.id
      )`,
  ),
};

/** A part of the accounts that were deleted, from that place on. */
export const selectDeletions = (
  query: Kysely<RevocationTables>,
  { deletedAt, id }: { deletedAt: Date; id: string },
  most: number,
) =>
  query
    .selectFrom('deleted_accounts')
    .select(['id', 'deleted_at as deletedAt'])
    .where(sql<boolean>`(deleted_at, id) > (${deletedAt}::timestamptz, ${id}::uuid)`)
    .orderBy('deleted_at')
    .orderBy('id')
    .limit(most);
