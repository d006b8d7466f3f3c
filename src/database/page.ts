import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** Where a row stands in a list that is ordered by an instant, then by id. */
export interface Position {
  at: Date;
  id: number;
}

export interface PageRequest {
  first: number;
  after?: Position;
}

/** A part of a list. Nothing is asked of the database before it is wanted. */
export interface Page<Row> {
  /** One row more than asked for, when there are more. */
  rows: () => Promise<Row[]>;
  /** Whether there are rows before this page. */
  hasEarlier: () => Promise<boolean>;
  total: () => Promise<number>;
  positionOf(row: Row): Position;
}

/** The same page of several lists, for all of them in one statement. Lists go by their ids. */
export interface Pages<Row> {
  /** One row more than asked for, of the lists that have more; nothing of those that are empty. */
  rows: (ids: number[], request: PageRequest) => Promise<Map<number, Row[]>>;
  /** Which lists have rows before the page. */
  haveEarlier: (ids: number[], after: Position) => Promise<Set<number>>;
  positionOf(row: Row): Position;
}

interface Ordered<Tables, From extends keyof Tables, Row> {
  /** The whole list, in no order. */
  all: () => SelectQueryBuilder<Tables, From, Row>;
  /** The columns that order it: an instant, and the id for those of the same instant. */
  by: readonly [instant: string, id: string];
  order: 'asc' | 'desc';
  positionOf: (row: Row) => Position;
}

export interface List<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  /** The account itself may be the reason that nothing is there. */
  whenEmpty: () => Promise<void>;
}

/** A list that consists of lists: each has the rows whose column holds its id. */
export interface Lists<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  /** An index on this column and those that order the list is what it is read by. */
  column: string;
  idOf: (row: Row) => number | null;
}

const rowOf = (columns: readonly string[]) => sql`(${sql.join(columns.map((name) => sql.ref(name)))})`;

const inOrder = <Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  columns: readonly string[],
  order: 'asc' | 'desc',
) => columns.reduce((ordered, column) => ordered.orderBy(sql.ref(column), order), query);

/** How rows compare with a position in a list, and where the list begins. */
const comparisons = {
  asc: { isAfter: sql`>`, isUpTo: sql`<=`, isFrom: sql`>=`, beginning: { at: '-infinity', id: 0 } },
  desc: {
    isAfter: sql`<`,
    isUpTo: sql`>=`,
    isFrom: sql`<=`,
    beginning: { at: 'infinity', id: Number.MAX_SAFE_INTEGER },
  },
};

/** The parts of a list that a position cuts it into. */
function around<Tables, From extends keyof Tables, Row>({ all, by, order }: Ordered<Tables, From, Row>) {
  const { isAfter, isUpTo } = comparisons[order];
  const part = (comparison: RawBuilder<unknown>, position?: Position) =>
    inOrder(
      position
        ? all().where(sql<boolean>`${rowOf(by)} ${comparison} (${position.at}, ${position.id})`)
        : all(),
      by,
      order,
    );
  return {
    beyond: (position?: Position) => part(isAfter, position),
    upTo: (position: Position) => part(isUpTo, position),
  };
}

export function pageOf<Tables, From extends keyof Tables, Row>(
  list: List<Tables, From, Row>,
  { first, after }: PageRequest,
): Page<Row> {
  const { all, positionOf, whenEmpty } = list;
  const { beyond, upTo } = around(list);
  return {
    rows: async () => {
      const rows = await beyond(after)
        .limit(first + 1)
        .execute();
      if (rows.length === 0) await whenEmpty();
      return rows;
    },
    hasEarlier: async () => after !== undefined && (await upTo(after).limit(1).execute()).length > 0,
    total: async () => {
      const counted = all().clearSelect().select(sql<number>`count(*)::int`.as('count'));
      const { count } = (await counted.executeTakeFirstOrThrow()) as { count: number };
      if (count === 0) await whenEmpty();
      return count;
    },
    positionOf,
  };
}

/**
 * Each list is read through the index that orders it, and no further than its page goes. It is cut out of that index
 * by comparing rows: with `column = id` the planner may walk through all of a user's rows in another index that has
 * the same order, and millions of rows of other lists lie between those of this one.
 */
export function pagesOf<Tables, From extends keyof Tables, Row>(
  query: () => Kysely<Tables>,
  { all, by, order, column, idOf, positionOf }: Lists<Tables, From, Row>,
): Pages<Row> {
  const { isAfter, isUpTo, isFrom, beginning } = comparisons[order];
  const columns = [column, ...by];
  const list = sql.ref('list.id');
  /** Of each list, the rows that compare so with a position in it; `bound` keeps other lists out. */
  const readEach = async (
    ids: number[],
    [comparison, { at, id }, bound]: [RawBuilder<unknown>, Position | typeof beginning, RawBuilder<unknown>],
    limit: number,
  ): Promise<Row[]> => {
    const part = all()
      .where(sql<boolean>`${rowOf(columns)} ${comparison} (${list}, ${at}, ${id})`)
      .where(sql<boolean>`${sql.ref(column)} ${bound} ${list}`);
    const { rows } = await sql<Row>`
      select part.* from unnest(${ids}::bigint[]) as list (id)
      cross join lateral ${inOrder(part, columns, order).limit(limit)} part
    `.execute(query());
    return rows;
  };
  return {
    rows: async (ids, { first, after = beginning }) =>
      Map.groupBy(await readEach(ids, [isAfter, after, isUpTo], first + 1), idOf) as Map<number, Row[]>,
    haveEarlier: async (ids, after) =>
      new Set((await readEach(ids, [isUpTo, after, isFrom], 1)).map(idOf)) as Set<number>,
    positionOf,
  };
}
