import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, isOneOf } from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import type { AccountTables } from '../account/account.queries.js';
import type { TemplateInput } from './challenge.input.js';
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

export interface BroughtIn {
  added: number;
  changed: number;
}

/** For a transaction. Titles are not unique by themselves: two imports at once would add the same one twice. */
export async function bringInTemplates(
  query: Kysely<TemplateTables>,
  list: readonly TemplateInput[],
  now: Date,
): Promise<BroughtIn> {
  await sql`lock table challenge_templates in share row exclusive mode`.execute(query);
  const { rows } = await sql<BroughtIn>`
    with given as materialized (
      select place, line ->> 'title' as title, line ->> 'description' as description,
        (line ->> 'durationDays')::int as duration_days
      from jsonb_array_elements(${JSON.stringify(list)}::jsonb) with ordinality as each (line, place)
    ), changed as (
      update challenge_templates as template
      set description = given.description, duration_days = given.duration_days, updated_at = ${now}::timestamptz
      from given
      where template.title = given.title
        and (template.description, template.duration_days) is distinct from (given.description, given.duration_days)
      returning template.title
    ), added as (
      insert into challenge_templates (title, description, duration_days, created_at, updated_at)
      select title, description, duration_days, ${now}::timestamptz, ${now}::timestamptz
      from given where title not in (select title from challenge_templates)
      order by place
      returning id
    )
    select
      (select count(*) from added)::int as added,
      (select count(distinct title) from changed)::int as changed`.execute(query);
  return rows[0] ?? { added: 0, changed: 0 };
}
