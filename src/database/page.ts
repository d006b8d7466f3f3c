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
  /** The whole list, in its order. */
  all: () => SelectQueryBuilder<Tables, From, Row>;
  /** The pair of columns that orders it. */
  key: RawBuilder<unknown>;
  order: 'asc' | 'desc';
  positionOf: (row: Row) => Position;
}

export interface List<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  /** The account itself may be the reason that nothing is there. */
  whenEmpty: () => Promise<void>;
}

/** A list that consists of lists: each has the rows whose column holds its id. */
export interface Lists<Tables, From extends keyof Tables, Row> extends Ordered<Tables, From, Row> {
  column: RawBuilder<unknown>;
  idOf: (row: Row) => number | null;
}

/** The parts of a list that a position cuts it into. */
function around<Tables, From extends keyof Tables, Row>({ all, key, order }: Ordered<Tables, From, Row>) {
  const [isBeyond, isUpTo] = order === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`];
  const compared = (comparison: RawBuilder<unknown>, { at, id }: Position) =>
    sql<boolean>`${key} ${comparison} (${at}, ${id})`;
  return {
    beyond: (position?: Position) => (position ? all().where(compared(isBeyond, position)) : all()),
    upTo: (position: Position) => all().where(compared(isUpTo, position)),
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
      const counted = all().clearSelect().clearOrderBy().select(sql<number>`count(*)::int`.as('count'));
      const { count } = (await counted.executeTakeFirstOrThrow()) as { count: number };
      if (count === 0) await whenEmpty();
      return count;
    },
    positionOf,
  };
}

/** Each list is read through the index that orders it, and no further than its page goes. */
export function pagesOf<Tables, From extends keyof Tables, Row>(
  query: () => Kysely<Tables>,
  lists: Lists<Tables, From, Row>,
): Pages<Row> {
  const { column, idOf, positionOf } = lists;
  const { beyond, upTo } = around(lists);
  /** Of one list, as of any list below a cursor, the planner knows better how long it is. */
  const readEach = async (ids: number[], part: ReturnType<typeof upTo>, limit: number): Promise<Row[]> => {
    const ofList = (id: unknown) => part.where(sql<boolean>`${column} = ${id}`).limit(limit);
    if (ids.length === 1) return (await ofList(ids[0]).execute()) as Row[];
    const { rows } = await sql<Row>`
      select part.* from unnest(${ids}::bigint[]) as list (id)
      cross join lateral ${ofList(sql.ref('list.id'))} part
    `.execute(query());
    return rows;
  };
  return {
    rows: async (ids, { first, after }) =>
      Map.groupBy(await readEach(ids, beyond(after), first + 1), idOf) as Map<number, Row[]>,
    haveEarlier: async (ids, after) =>
      new Set((await readEach(ids, upTo(after), 1)).map(idOf)) as Set<number>,
    positionOf,
  };
}
