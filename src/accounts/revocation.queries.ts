import { type Kysely, type RawBuilder, sql } from 'kysely';
import { announceToAll } from '../database/announcements/to-all.js';
import { inTime } from '../database/outcome.js';
import { statement } from '../database/statement.js';
import type { Columns } from '../database/tables.js';
import type { Caller } from '../scopes.js';
import type { AccountTables } from './account.queries.js';
import type { DeletedAccount } from './deleted-account.entity.js';
import type { Revocation } from './revocation.entity.js';

export type RevocationTables = AccountTables & {
  revocations: Columns<Revocation>;
  deleted_accounts: Columns<DeletedAccount>;
};

/** The topic of what was taken back. */
export const REVOKED = 'revoked';

/** One token, all tokens before a generation, or the whole account. */
export type Revoked = { id: string } | { generation: number } | { gone: true };

const announced = (userId: RawBuilder<unknown>, event: RawBuilder<unknown>) =>
  announceToAll(REVOKED, userId, event);

/** For the transaction that deletes the account. */
export const announceGone = (userId: string): RawBuilder<unknown> =>
  sql`select ${announced(sql`${userId}::text`, sql`json_build_object('gone', true)`)}`;

/** Unlike the numbers of a sequence, those of transactions can be compared with what has not ended yet. */
export const thisChange = sql`pg_current_xact_id()::text::bigint`;

interface OneToken {
  userId: string;
  id: string;
  now: Date;
}

/** Ends one token. Returns a row, unless the account is gone. */
export const insertRevocation = ({ userId, id, now }: OneToken) => sql<{ userId: string }>`
  with person as (
    select user_id from user_progress where user_id = ${userId} and ${inTime} for key share
  ), revoked as (
    insert into revocations (id, user_id, revoked_at, change)
    select ${id}::uuid, user_id, ${now}::timestamptz, ${thisChange} from person
    on conflict (id, user_id) do nothing
  )
  select user_id as "userId", ${announced(sql`user_id`, sql`json_build_object('id', ${id}::text)`)}
  from person`;

/** The beginning of 2026, in seconds. */
const START = 1_767_225_600;

/**
 * Above every generation that was given before the last restore: one for each second until then. That of the user may
 * be an older one, so that tokens issued after the backup would not end.
 */
const aboveRestored = sql`
  coalesce((select (extract(epoch from max(restored_at)) - ${sql.lit(START)})::int from restores), 0)`;

/** For the transaction that restores a backup. */
export const noteRestore = (now: Date) => sql`
  insert into restores (restored_at) values (${now}::timestamptz) on conflict do nothing`;

export type Session = Pick<Caller, 'userId' | 'tokenId' | 'generation'>;

/** Of a row of `users`: whether the session has not been taken back. */
export const isStanding = ({ userId, tokenId, generation }: Session) => sql<boolean>`
  (token_generation <= ${generation}::int and not exists (
    select from revocations where revocations.user_id = ${userId} and revocations.id = ${tokenId}::uuid
  ))`;

/** Returns no row if the session has been taken back. Until the end of the transaction, nobody ends all sessions. */
export const lockSession = (session: Session) => sql`
  select 1 as found from users where id = ${session.userId} and ${isStanding(session)} for no key update`;

/** Ends all tokens of the user, whose new ones belong to the generation that it returns. */
export const raiseGeneration = (userId: string, now: Date, where = sql<boolean>`true`) => sql<{
  generation: number;
}>`
  with raised as (
    update users set token_generation = greatest(token_generation + 1, ${aboveRestored})
    where id = ${userId} and ${inTime} and ${where}
    returning id, token_generation
  ), earlier as (
    delete from revocations using raised
    where revocations.user_id = raised.id and generation < raised.token_generation
  ), revoked as (
    insert into revocations (id, user_id, generation, revoked_at, change)
    select gen_random_uuid(), raised.id, token_generation, ${now}::timestamptz, ${thisChange} from raised
  )
  select
    token_generation as generation,
    ${announced(sql`id`, sql`json_build_object('generation', token_generation)`)}
  from raised`;

export const revocations = {
  /** Whether a token is good, asked of the database. No row if the account is gone. */
  standing: statement((query: Kysely<RevocationTables>, { userId, id }: { userId: string; id: string }) =>
    query
      .selectFrom('users')
      .select([
        'token_generation as generation',
        sql<boolean>`exists (
          select from revocations where revocations.user_id = ${userId} and revocations.id = ${id}
        )`.as('isEnded'),
      ])
      .where('users.id', '=', userId),
  ),
};

/** Transactions before this one have ended, so that their rows can be seen by whoever reads from now on. */
export const readWatermark = sql<{ watermark: number }>`
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as watermark`;

export interface Change {
  id: string;
  userId: string;
  generation: number | null;
  revokedAt: Date;
  change: number;
}

/** A part of what was revoked, in the order in which it is read: after that place, and not before that instant. */
export const selectChanges = (
  query: Kysely<RevocationTables>,
  { change, id }: Pick<Change, 'change' | 'id'>,
  since: Date,
  most: number,
) =>
  query
    .selectFrom('revocations')
    .select(['id', 'user_id as userId', 'generation', 'revoked_at as revokedAt', 'change'])
    .where(sql<boolean>`(change, id) > (${change}::bigint, ${id}::uuid)`)
    .where('revoked_at', '>', since)
    .orderBy('change')
    .orderBy('id')
    .limit(most);

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

/** A part of what is older than any token. */
export const deleteOlder = (than: Date, most: number) => sql`
  delete from revocations where (id, user_id) in (
    select id, user_id from revocations where revoked_at < ${than}::timestamptz
    order by revoked_at limit ${most}
  ) returning id`;
