import type { Kysely } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import { columnsOf } from '../database/columns.js';
import { statement } from '../database/statement.js';
import { type Columns, isOneOf } from '../database/tables.js';
import { ChallengeTemplate } from './template.entity.js';

export type TemplateTables = AccountTables & { challenge_templates: Columns<ChallengeTemplate> };

export const templateColumns = columnsOf(ChallengeTemplate);

const selectTemplates = (query: Kysely<TemplateTables>) =>
  query.selectFrom('challenge_templates as template').select(templateColumns.of('template'));

/** Everybody sees the same templates, but nobody whose account is gone. */
const seenBy = (query: Kysely<TemplateTables>, userId: string) =>
  selectTemplates(query).innerJoin('user_progress', (join) => join.on('user_progress.user_id', '=', userId));

export const templates = {
  newestFirst: statement((query: Kysely<TemplateTables>, { userId }: { userId: string }) =>
    seenBy(query, userId).orderBy('template.created_at', 'desc').orderBy('template.id', 'desc'),
  ),
  byId: statement((query: Kysely<TemplateTables>, { id, userId }: { id: number; userId: string }) =>
    seenBy(query, userId).where('template.id', '=', id),
  ),
  byIds: statement((query: Kysely<TemplateTables>, { ids }: { ids: number[] }) =>
    selectTemplates(query).where(isOneOf('template.id', ids)),
  ),
};
