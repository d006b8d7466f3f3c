import { type Kysely, sql } from 'kysely';
import { type Columns, columnsOf, countUpTo, insertOf, type RowOf } from '../../database/columns.js';
import { statement } from '../../database/statement.js';
import { isLetIn } from '../account/account.queries.js';
import { selectTasks, type TaskTables } from '../habits/task.queries.js';
import { place } from '../habits/task-order.queries.js';
import { CalendarFeed } from './calendar-feed.entity.js';

export type CalendarFeedTables = TaskTables & { calendar_feeds: Columns<CalendarFeed> };

type Query = Kysely<CalendarFeedTables>;

const columns = columnsOf(CalendarFeed, 'digest');

export type CalendarFeedRow = RowOf<typeof columns>;

/** Oldest first. */
export const feedsOf = statement((query: Query, { userId }: { userId: string }) =>
  query
    .selectFrom('calendar_feeds')
    .where('user_id', '=', userId)
    .select(columns.of('calendar_feeds'))
    .orderBy('created_at')
    .orderBy('id'),
);

/** An address tells nothing of its user, so that it is looked up by its digest alone. */
export const feedByDigest = statement((query: Query, { digest }: { digest: string }) =>
  query
    .selectFrom('calendar_feeds')
    .where('digest', '=', digest)
    .where(isLetIn(sql.ref('calendar_feeds.user_id')))
    .select(columns.of('calendar_feeds')),
);

/** Under the lock of the account. Returns no row if the user has as many already. */
export const insertFeed = (query: Query, feed: Omit<CalendarFeed, 'lastReadAt'>, most: number) => {
  const { userId } = feed;
  return sql<CalendarFeedRow>`
    ${insertOf(CalendarFeed, { into: 'calendar_feeds', as: 'made', userId, rows: [feed] })},
      ${countUpTo('calendar_feeds', userId, most)}
    where counted.rows < ${most}
    returning ${columns.textOf('made')}`.execute(query);
};

type OfFeed = Pick<CalendarFeed, 'userId' | 'id'>;

export const deleteFeed = (query: Query, { userId, id }: OfFeed) =>
  query
    .deleteFrom('calendar_feeds')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();

/** Of two readings at once, the later one stays. */
export const noteReading = (query: Query, { userId, id }: OfFeed, now: Date) =>
  query
    .updateTable('calendar_feeds')
    .set({ last_read_at: now })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .where((where) => where.or([where('last_read_at', 'is', null), where('last_read_at', '<', now)]))
    .execute();

/** The tasks in use, in the order of the user. */
export const tasksInUse = statement((query: Query, { userId }: { userId: string }) =>
  selectTasks(query, { userId }).where('archived_at', 'is', null).orderBy(sql`${place}`),
);
