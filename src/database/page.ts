import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

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

export interface List<Tables, From extends keyof Tables, Row> {
  /** The whole list, in its order. */
  all: () => SelectQueryBuilder<Tables, From, Row>;
  /** The pair of columns that orders it. */
  key: RawBuilder<unknown>;
  order: 'asc' | 'desc';
  positionOf: (row: Row) => Position;
  /** The account itself may be the reason that nothing is there. */
  whenEmpty: () => Promise<void>;
}

export function pageOf<Tables, From extends keyof Tables, Row>(
  { all, key, order, positionOf, whenEmpty }: List<Tables, From, Row>,
  { first, after }: PageRequest,
): Page<Row> {
  const position = after && sql`(${after.at}, ${after.id})`;
  const isBeyond = sql.raw(order === 'asc' ? '>' : '<');
  const isUpTo = sql.raw(order === 'asc' ? '<=' : '>=');
  return {
    rows: async () => {
      const query = position ? all().where(sql<boolean>`${key} ${isBeyond} ${position}`) : all();
      const rows = await query.limit(first + 1).execute();
      if (rows.length === 0) await whenEmpty();
      return rows;
    },
    hasEarlier: async () => {
      if (!position) return false;
      const earlier = all().where(sql<boolean>`${key} ${isUpTo} ${position}`);
      return (await earlier.limit(1).execute()).length > 0;
    },
    total: async () => {
      const counted = all().clearSelect().clearOrderBy().select(sql<number>`count(*)::int`.as('count'));
      const { count } = (await counted.executeTakeFirstOrThrow()) as { count: number };
      if (count === 0) await whenEmpty();
      return count;
    },
    positionOf,
  };
}
