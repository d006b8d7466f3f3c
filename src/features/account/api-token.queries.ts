import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, type RowOf } from '../../database/columns.js';
import { inTime } from '../../database/outcome.js';
import { statement } from '../../database/statement.js';
import { isLetIn } from './account.queries.js';
import { ApiToken } from './api-token.entity.js';
import { announceRevoked } from './revocation.queries.js';

export type ApiTokenTables = { api_tokens: Columns<ApiToken> };

export interface FoundToken {
  id: string;
  userId: string;
  hash: string;
  scopes: string;
  expiresAt: Date | null;
}

export const apiTokens = {
  /** Many at once, so that a crowd of unknown tokens takes one statement at a time. */
  byHashes: statement((query: Kysely<ApiTokenTables>, { hashes }: { hashes: readonly string[] }) =>
    query
      .selectFrom('api_tokens')
      .select(['id', 'user_id as userId', 'hash', 'scopes', 'expires_at as expiresAt'])
      .where(sql<boolean>`hash = any(${hashes}::text[])`)
      .where(isLetIn(sql.ref('api_tokens.user_id'))),
  ),
};

export const apiTokenColumns = columnsOf(ApiToken, 'userId', 'hash');

export type ApiTokenRow = RowOf<typeof apiTokenColumns>;

/** Newest first. */
export const listOf = (query: Kysely<ApiTokenTables>, userId: string): Promise<ApiTokenRow[]> =>
  query
    .selectFrom('api_tokens')
    .select(apiTokenColumns.of('api_tokens'))
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();

type NewApiToken = Pick<
  ApiToken,
  'userId' | 'name' | 'hash' | 'scopes' | 'ending' | 'createdAt' | 'expiresAt'
>;

/** Under the lock of the account, which makes the limit exact. Returns no row if the user has as many already. */
export const insertApiToken = (
  { userId, name, hash, scopes, ending, createdAt, expiresAt }: NewApiToken,
  most: number,
) => sql<ApiTokenRow>`
  insert into api_tokens (id, user_id, name, hash, scopes, ending, created_at, expires_at)
  select gen_random_uuid(), ${userId}::uuid, ${name}, ${hash}, ${scopes}, ${ending},
    ${createdAt}::timestamptz, ${expiresAt}::timestamptz
  where (select count(*) from api_tokens where user_id = ${userId}) < ${most}
  returning ${apiTokenColumns.textOf('api_tokens')}`;

/**
 * Takes the token away and tells every process. Returns it, if it was there. Locks the user first, as the deletion of
 * an account does: in another order, the two would wait for each other.
 */
export const deleteApiToken = (userId: string, id: string) => sql<ApiTokenRow>`
  with person as (
    select user_id from user_progress where user_id = ${userId} for key share
  ), taken as (
    delete from api_tokens using person
    where api_tokens.id = ${id}::uuid and api_tokens.user_id = person.user_id and ${inTime} returning api_tokens.*
  )
  select ${apiTokenColumns.textOf('taken')}, ${announceRevoked(sql`user_id`)} from taken`;

export interface Use {
  id: string;
  userId: string;
  at: Date;
}

const MINUTE = 60_000;

/** Writes each at most once a minute, whichever processes it is used in. */
export const noteUses = (uses: readonly Use[]) => sql`
  update api_tokens set last_used_at = used.at
  from unnest(
    ${uses.map(({ id }) => id)}::uuid[],
    ${uses.map(({ userId }) => userId)}::uuid[],
    ${uses.map(({ at }) => at.toISOString())}::timestamptz[],
    ${uses.map(({ at }) => new Date(at.getTime() - MINUTE).toISOString())}::timestamptz[]
  ) as used (id, user_id, at, before)
  where api_tokens.id = used.id and api_tokens.user_id = used.user_id
    and (last_used_at is null or last_used_at <= used.before)`;
