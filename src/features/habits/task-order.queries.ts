import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { isOneOf } from '../../database/columns.js';
import { List } from '../../database/cursor.js';
import { statement } from '../../database/statement.js';
import {
  type PlainTask,
  selectPlain,
  selectTasks,
  type TaskRow,
  type TaskTables,
  taskColumns,
} from './task.queries.js';

/**
 * A place in the user's own order: the instant, then the rank. A task that was never moved is at the instant at which it
 * was made, with its id as rank: so the order is oldest first until something is moved, and what is new comes last.
 */
const PLACE = [sql`coalesce(listed_at, created_at)`, sql`coalesce(rank, id)`] as const;
/** To order by. */
export const place = sql.join([...PLACE]);

interface Place {
  listedAt: Date | null;
  rank: string | null;
}

const placed = <Row>(rows: SelectQueryBuilder<TaskTables, 'tasks', Row>) =>
  rows.select(['listed_at as listedAt', sql<string | null>`rank::text`.as('rank')]);

type Select<Values, Row> = (
  query: Kysely<TaskTables>,
  values: Values,
) => SelectQueryBuilder<TaskTables, 'tasks', Row>;

const listOf = <Values extends { userId: string }, Row extends PlainTask & Place>(all: Select<Values, Row>) =>
  new List({
    all,
    by: PLACE,
    order: 'asc',
    positionOf: ({ listedAt, createdAt, rank, id }: Row) => ({
      at: listedAt ?? createdAt,
      id: rank ?? id,
    }),
  });

const inUse = <Values extends { userId: string }, Row extends PlainTask & Place>(all: Select<Values, Row>) =>
  listOf<Values, Row>((query, values) => all(query, values).where('archived_at', 'is', null));

const listsIn = <Values extends { userId: string }, Row extends PlainTask & Place>(
  all: Select<Values, Row>,
) => ({
  inUse: inUse(all),
  archived: listOf<Values, Row>((query, values) => all(query, values).where('archived_at', 'is not', null)),
  all: listOf(all),
});

/** The lists in the user's own order. The first two have an index each. */
export const inOwnOrder = listsIn((query, owner: { userId: string }) => placed(selectTasks(query, owner)));

/** The first of them for whoever shows no more of a task. */
export const plainInUse = inUse((query, owner: { userId: string }) => placed(selectPlain(query, owner)));

/** Ordered lists of some tasks alone. */
export const amongIds = listsIn((query, { userId, ids }: { userId: string; ids: number[] }) =>
  placed(selectTasks(query, { userId })).where(isOneOf('id', ids)),
);

/** The tags and the section of all tasks of a user, which are a bounded number. */
export const wordsOfTasks = statement((query: Kysely<TaskTables>, { userId }: { userId: string }) =>
  query.selectFrom('tasks').where('user_id', '=', userId).select(['id', 'tags', 'section']),
);

/** A task with the place that it has, whether it was moved or not. */
export interface Neighbour {
  id: number;
  at: Date;
  rank: string;
}

const selectNeighbours = (query: Kysely<TaskTables>, userId: string) =>
  query
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .select(['id', sql<Date>`${PLACE[0]}`.as('at'), sql<string>`(${PLACE[1]})::text`.as('rank')]);

export const neighbourById = (query: Kysely<TaskTables>, userId: string, id: number) =>
  selectNeighbours(query, userId).where('id', '=', id).executeTakeFirst();

/** The task behind a place, whether it is in use or archived; without a place the first one. */
export function neighbourBehind(query: Kysely<TaskTables>, userId: string, before?: Neighbour) {
  const neighbours = selectNeighbours(query, userId);
  const behind = before
    ? neighbours.where(sql<boolean>`(${place}) > (${before.at}::timestamptz, ${before.rank}::numeric)`)
    : neighbours;
  return behind.orderBy(PLACE[0]).orderBy(PLACE[1]).limit(1).executeTakeFirst();
}

/** In decimal places: as long as a rank may become. Each move between the same two takes one more. */
const LONGEST_RANK = 30;

/** Puts a task at a place. The answer says whether the user's ranks have become too long. Lock the account first. */
export async function placeTask(
  query: Kysely<TaskTables>,
  { userId, id }: { userId: string; id: number },
  { at, rank }: { at: Date; rank: RawBuilder<unknown> },
): Promise<{ task: TaskRow; isCrowded: boolean } | undefined> {
  const placed = await query
    .updateTable('tasks')
    .set({ listed_at: at, rank: sql<string>`trim_scale(${rank})` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning([...taskColumns.of('tasks'), sql<number>`scale(rank)`.as('digits')])
    .executeTakeFirst();
  if (!placed) return undefined;
  const { digits, ...task } = placed;
  return { task, isCrowded: digits > LONGEST_RANK };
}

/**
 * Numbers all tasks of a user anew, in their order. They share the instant of the first, so that what is made from now
 * on comes behind them. Lock the account first.
 */
export async function renumberTasks(query: Kysely<TaskTables>, userId: string): Promise<void> {
  await sql`
    update tasks set listed_at = numbered.first, rank = numbered.number
    from (
      select id, row_number() over (order by ${place}) as number, min(${PLACE[0]}) over () as first
      from tasks where user_id = ${userId}
    ) numbered
    where tasks.id = numbered.id and tasks.user_id = ${userId}
  `.execute(query);
}
