import { type Kysely, sql } from 'kysely';
import { type CarriedAlong } from '../../base/carried.js';
import { instantShape, objectOf } from '../../base/carried-schema.js';
import {
  type Columns,
  columnsOf,
  countUpTo,
  insertOf,
  isOneOf,
  isoOf,
  type RowOf,
} from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import { isLetIn } from '../account/account.queries.js';
import { type CompletionTables, selectCompletions } from '../history/completions/completion-list.queries.js';
import { CheckInLink } from './check-in-link.entity.js';

export type CheckInTables = CompletionTables & { check_in_links: Columns<Omit<CheckInLink, 'task'>> };

const columns = columnsOf(CheckInLink, 'task', 'digest', 'countsFrom');

export type CheckInLinkRow = RowOf<typeof columns>;

/** Sorts them by their age, since a person knows them by it. */
export const linksOfTasks = statement(
  (query: Kysely<CheckInTables>, { userId, ids }: { userId: string; ids: number[] }) =>
    query
      .selectFrom('check_in_links')
      .where('user_id', '=', userId)
      .where(isOneOf('task_id', ids))
      .select(columns.of('check_in_links'))
      .orderBy('created_at')
      .orderBy('id'),
);

/** A link tells nothing of its user, so that it is looked up by its digest alone. */
export const linkByDigest = statement((query: Kysely<CheckInTables>, { digest }: { digest: string }) =>
  query
    .selectFrom('check_in_links')
    .where('digest', '=', digest)
    .where(isLetIn(sql.ref('check_in_links.user_id')))
    .select(columns.of('check_in_links')),
);

export type NewCheckInLink = Pick<
  CheckInLink,
  'id' | 'userId' | 'taskId' | 'name' | 'amount' | 'digest' | 'createdAt'
>;

/** Under the lock of the account. Returns no row if the task has as many already. */
export const insertLink = (query: Kysely<CheckInTables>, link: NewCheckInLink, most: number) => {
  const { userId, taskId } = link;
  return sql<CheckInLinkRow>`
    ${insertOf(CheckInLink, { into: 'check_in_links', as: 'made', userId, rows: [link] })},
      ${countUpTo('check_in_links', userId, most, sql`task_id = ${taskId}`)}
    where counted.rows < ${most}
    returning ${columns.textOf('made')}`.execute(query);
};

export const deleteLink = (query: Kysely<CheckInTables>, { userId, id }: { userId: string; id: string }) =>
  query
    .deleteFrom('check_in_links')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(columns.of('check_in_links'))
    .executeTakeFirst();

type OfLink = Pick<CheckInLink, 'userId' | 'id'>;

/**
 * Notes the use, and answers when the time began in which this link counts once: at a use after it, the next begins. Of
 * two uses at once, the one that comes first may be the later one by its clock.
 */
export const noteUse = (
  query: Kysely<CheckInTables>,
  { userId, id }: OfLink,
  { now, seconds }: { now: Date; seconds: number },
) =>
  sql<{ countsFrom: Date }>`
    update check_in_links set last_used_at = ${now}::timestamptz,
      counts_from = case
        when abs(extract(epoch from counts_from - ${now}::timestamptz)) < ${seconds} then counts_from
        else ${now}::timestamptz end
    where user_id = ${userId} and id = ${id}
    returning counts_from as "countsFrom"`.execute(query);

export const noteCompletion = (query: Kysely<CheckInTables>, { userId, id }: OfLink, completionId: number) =>
  query
    .updateTable('check_in_links')
    .set({ last_completion_id: completionId })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute();

export const completionByKey = statement(
  (query: Kysely<CompletionTables>, { userId, key }: { userId: string; key: string }) =>
    selectCompletions(query, { userId }).where('idempotency_key', '=', key),
);

/** Without what lets in. */
export const carriedLinks: CarriedAlong = {
  part: 'tasks',
  name: 'checkInLinks',
  shape: {
    description: 'What links there are, without their addresses. An import passes over them.',
    type: 'array',
    items: objectOf({
      name: { type: 'string' },
      amount: { type: ['number', 'null'] },
      createdAt: instantShape,
    }),
  },
  exported: (userId) => sql`(
    select coalesce(json_agg(json_build_object('name', links.name, 'amount', links.amount,
      'createdAt', ${isoOf(sql`links.created_at`)}) order by links.created_at), '[]')
    from check_in_links links where links.user_id = ${userId} and links.task_id = tasks.id)`,
};
