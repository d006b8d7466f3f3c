import type { Kysely } from 'kysely';
import type { AccountTables } from '../accounts/account.queries.js';
import { columnsOf } from '../database/columns.js';
import type { Columns } from '../database/tables.js';
import { ChallengeTemplate } from './template.entity.js';

export type TemplateTables = AccountTables & { challenge_templates: Columns<ChallengeTemplate> };

export const templateColumns = columnsOf(ChallengeTemplate);

export const selectTemplates = (query: Kysely<TemplateTables>) =>
  query.selectFrom('challenge_templates as template').select(templateColumns.of('template'));
