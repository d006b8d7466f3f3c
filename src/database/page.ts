import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** The position of a row in a list that is ordered by an instant, then by id. */
export interface Position {
  at: Date;
  id: number;
}

export interface PageRequest {
  first: number;
  after?: Position;
}

/** One page of a list. Each part is read only when it is asked for. */
export interface Page<Row> {
  /** One extra row, if there are more than asked for. */
  rows: () => Promise<Row[]>;
  hasEarlier: () => Promise<boolean>;
  total: () => Promise<number>;
  positionOf(row: Row): Position;
}

/** The same page of several lists, read in one statement for all of them. A list is identified by an id. */
export interface Pages<Row> {
  /** One extra row for each list that has more. Empty lists have no entry. */
  rows: (ids: number[], request: PageRequest) => Promise<Map<number, Row[]>>;
  /** The lists that have rows before the page. */
  haveEarlier: (ids: number[], after: Position) => Promise<Set<number>>;
  positionOf(row: Row): Position;
}

interface Ordered<Tables, From extends keyof Tables, Row> {
  /** The whole list, without an order. */
  all: () => SelectQueryBuilder<Tables, From, Row>;
  /** The columns that order the list: an instant, then the id to break ties. */
  by: readonly [instant: string, id: string];
  order: 'asc' | 'desc';
  positionOf: (row: Row) => Position;
}

export interface List<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  /** Called when nothing was found: the account itself may be gone. */
  whenEmpty: () => Promise<void>;
}

/** Many lists in one table. Each consists of the rows that have its id in `column`. */
export interface Lists<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  /** Needs an index on this column, followed by the columns of `by`. */
  column: string;
  idOf: (row: Row) => number | null;
}

const rowOf = (columns: readonly string[]) => sql`(${sql.join(columns.map((name) => sql.ref(name)))})`;

const inOrder = <Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  columns: readonly string[],
  order: 'asc' | 'desc',
) => columns.reduce((ordered, column) => ordered.orderBy(sql.ref(column), order), query);

/** For each direction: how rows compare with a position, and the position before the first row. */
const comparisons = {
  asc: { isAfter: sql`>`, isUpTo: sql`<=`, isFrom: sql`>=`, beginning: { at: '-infinity', id: 0 } },
  desc: {
    isAfter: sql`<`,
    isUpTo: sql`>=`,
    isFrom: sql`<=`,
    beginning: { at: 'infinity', id: Number.MAX_SAFE_INTEGER },
  },
};

/** Splits a list at a position. */
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
 * Reads each list through the index that orders it, no further than its page. The condition compares whole rows: with
 * `column = id`, the planner may choose another index with the same order and walk through all of a user's rows, past
 * millions that belong to other lists.
 */
export function pagesOf<Tables, From extends keyof Tables, Row>(
  query: () => Kysely<Tables>,
  { all, by, order, column, idOf, positionOf }: Lists<Tables, From, Row>,
): Pages<Row> {
  const { isAfter, isUpTo, isFrom, beginning } = comparisons[order];
  const columns = [column, ...by];
  const list = sql.ref('list.id');
  /** Reads rows on one side of a position, for each list; `bound` excludes other lists. */
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
