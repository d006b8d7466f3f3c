import { type Kysely, sql } from 'kysely';
import { announceToAll } from '../database/announcements/to-all.js';
import { inTime } from '../database/in-time.js';
import { statement } from '../database/statement.js';
import type { Columns } from '../database/tables.js';
import type { ApiToken } from './api-token.entity.js';
import { REVOKED } from './revocation.queries.js';

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
      .where(sql<boolean>`hash = any(${hashes}::text[])`),
  ),
};

export const listOf = (query: Kysely<ApiTokenTables>, userId: string) =>
  query
    .selectFrom('api_tokens')
    .select([
      'id',
      'name',
      'scopes',
      'ending',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
    ])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();

/** Takes the token away and tells every process. Returns it, if it was there. */
export const deleteApiToken = (userId: string, id: string, now: Date) => sql<Record<string, unknown>>`
  with taken as (
    delete from api_tokens where id = ${id}::uuid and user_id = ${userId} and ${inTime} returning *
  ), revoked as (
    insert into revocations (id, user_id, revoked_at, change)
    select id, user_id, ${now}::timestamptz, pg_current_xact_id()::text::bigint from taken
  )
  select id, name, scopes, ending, created_at as "createdAt", expires_at as "expiresAt",
    last_used_at as "lastUsedAt",
    ${announceToAll(REVOKED, sql`user_id`, sql`json_build_object('id', id)`)}
  from taken`;

/** Written in one statement for all tokens used within the last minute, never on the way of an answer. */
export const noteUses = (ids: readonly string[], now: Date) => sql`
  update api_tokens set last_used_at = ${now}::timestamptz
  where id = any(${ids}::uuid[]) and (last_used_at is null or last_used_at < ${now}::timestamptz)`;
