import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from './database.js';
import { type Statement, statement } from './statement.js';

/**
 * The position of a row in a list that is ordered by an instant, then by id, or by a rank, which is a decimal; in some
 * lists by a day before the instant.
 */
export interface Position {
  at: Date;
  id: number | string;
  day?: string;
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

/** The name of a column, or an expression that has an index. */
type OrderedBy = string | RawBuilder<unknown>;

interface Ordered<Tables, From extends keyof Tables, Values, Row> {
  /** The whole list, without an order. */
  all: (query: Kysely<Tables>, values: Values) => SelectQueryBuilder<Tables, From, Row>;
  /** The columns that order the list: an instant, then the id to break ties, or what takes their places. */
  by: readonly [instant: OrderedBy, id: OrderedBy];
  /** The column of a day that orders the list before them. */
  day?: string;
  order: 'asc' | 'desc';
  positionOf: (row: Row) => Position;
}

/** Many lists in one table. Each consists of the rows that have its id in `column`. */
interface Grouped<Tables, From extends keyof Tables, Values, Row> extends Ordered<Tables, From, Values, Row> {
  /** Needs an index on this column, followed by the columns of `by`. */
  column: string;
  idOf: (row: Row) => number | null;
}

const written = (column: OrderedBy) => (typeof column === 'string' ? sql.ref(column) : column);

const rowOf = (columns: readonly OrderedBy[]) => sql`(${sql.join(columns.map(written))})`;

/** The columns that order a list, and the place of a position among them. */
function orderOf({ by, day }: { by: readonly OrderedBy[]; day?: string }) {
  return {
    columns: day === undefined ? by : [day, ...by],
    placeOf: (position: { at: unknown; id: unknown; day?: string | undefined }) => [
      ...(day === undefined ? [] : [sql`${position.day}::date`]),
      ...[position.at, position.id].map((value) => sql`${value}`),
    ],
  };
}

const inOrder = <Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  columns: readonly OrderedBy[],
  order: 'asc' | 'desc',
) => columns.reduce((ordered, column) => ordered.orderBy(written(column), order), query);

/** For each direction: how rows compare with a position, and the position before the first row. */
const comparisons = {
  asc: {
    isAfter: sql`>`,
    isUpTo: sql`<=`,
    isFrom: sql`>=`,
    beginning: { day: '-infinity', at: '-infinity', id: 0 },
  },
  desc: {
    isAfter: sql`<`,
    isUpTo: sql`>=`,
    isFrom: sql`<=`,
    beginning: { day: 'infinity', at: 'infinity', id: Number.MAX_SAFE_INTEGER },
  },
};

interface Limited {
  limit: number;
}

/** The statements for the pages of a list. `Values` tell whose list it is. */
export class List<Tables, From extends keyof Tables, Values extends object, Row> {
  private readonly fromStart: Statement<Values & Limited, Row>;
  private readonly beyond: Statement<Values & Limited & Position, Row>;
  private readonly upTo: Statement<Values & Limited & Position, Row>;
  private readonly count: Statement<Values, { count: number }>;
  private readonly positionOf: (row: Row) => Position;

  constructor({ all, by, day, order, positionOf }: Ordered<Tables, From, Values, Row>) {
    const { isAfter, isUpTo } = comparisons[order];
    const { columns, placeOf } = orderOf({ by, day });
    const part = (comparison: RawBuilder<unknown>) =>
      statement((query: Kysely<Tables>, values: Values & Limited & Position) => {
        const side = sql<boolean>`${rowOf(columns)} ${comparison} (${sql.join(placeOf(values))})`;
        return inOrder(all(query, values).where(side), columns, order).limit(values.limit);
      });
    this.positionOf = positionOf;
    this.fromStart = statement((query: Kysely<Tables>, values) =>
      inOrder(all(query, values), columns, order).limit(values.limit),
    );
    this.beyond = part(isAfter);
    this.upTo = part(isUpTo);
    this.count = statement((query: Kysely<Tables>, values) => {
      const counted = all(query, values).clearSelect().select(sql<number>`count(*)::int`.as('count'));
      return counted as SelectQueryBuilder<Tables, From, { count: number }>;
    });
  }

  /** `whenEmpty` is called when nothing was found: the account itself may be gone. */
  page(
    database: Database,
    values: Values,
    { first, after }: PageRequest,
    whenEmpty: () => Promise<void>,
  ): Page<Row> {
    return {
      rows: async () => {
        const limit = first + 1;
        const rows = await (after
          ? database.run(this.beyond, { ...values, ...after, limit })
          : database.run(this.fromStart, { ...values, limit }));
        if (rows.length === 0) await whenEmpty();
        return rows;
      },
      hasEarlier: async () =>
        after !== undefined && (await database.run(this.upTo, { ...values, ...after, limit: 1 })).length > 0,
      total: async () => {
        const count = (await database.run(this.count, values))[0]?.count ?? 0;
        if (count === 0) await whenEmpty();
        return count;
      },
      positionOf: this.positionOf,
    };
  }
}

type Wanted = Limited & { ids: number[]; at: Date | string; id: number | string; day?: string };

/**
 * The statements for the same page of many lists. Each list is read through the index that orders it, no further than
 * its page. The condition compares whole rows: with `column = id`, the planner may choose another index with the same
 * order and walk through all of a user's rows, past millions that belong to other lists.
 */
export class Lists<Tables, From extends keyof Tables, Values extends object, Row> {
  private readonly beyond: Statement<Values & Wanted, Row>;
  private readonly upTo: Statement<Values & Wanted, Row>;

  constructor(private readonly grouped: Grouped<Tables, From, Values, Row>) {
    const { isAfter, isUpTo, isFrom } = comparisons[grouped.order];
    this.beyond = this.part(isAfter, isUpTo);
    this.upTo = this.part(isUpTo, isFrom);
  }

  pages(database: Database, values: Values): Pages<Row> {
    const { order, idOf, positionOf } = this.grouped;
    const { beginning } = comparisons[order];
    return {
      rows: async (ids, { first, after = beginning }) => {
        const rows = await database.run(this.beyond, { ...values, ...after, ids, limit: first + 1 });
        return Map.groupBy(rows, idOf) as Map<number, Row[]>;
      },
      haveEarlier: async (ids, after) => {
        const rows = await database.run(this.upTo, { ...values, ...after, ids, limit: 1 });
        return new Set(rows.map(idOf)) as Set<number>;
      },
      positionOf,
    };
  }

  /** On one side of a position, for each list; `bound` excludes other lists. */
  private part(comparison: RawBuilder<unknown>, bound: RawBuilder<unknown>) {
    const { all, by, day, order, column } = this.grouped;
    const { columns: within, placeOf } = orderOf({ by, day });
    const columns = [column, ...within];
    const list = sql.ref('list.id');
    return statement((query: Kysely<Tables>, values: Values & Wanted) => {
      const part = all(query, values)
        .where(sql<boolean>`${rowOf(columns)} ${comparison} (${list}, ${sql.join(placeOf(values))})`)
        .where(sql<boolean>`${sql.ref(column)} ${bound} ${list}`);
      return sql<Row>`
      select part.* from unnest(${values.ids}::bigint[]) as list (id)
      cross join lateral ${inOrder(part, columns, order).limit(values.limit)} part
    `;
    });
  }
}

/** The number of rows held in memory at a time while a whole list is read. */
const LENGTH = 100;

/** Some rows of a list that is read to its end. */
export interface Chunk<Row> {
  rows: Row[];
  /** Reads on; null at the end of the list. */
  next: (() => Promise<Chunk<Row>>) | null;
}

/** Reads the first rows of a whole list, or those after a position. A short list takes one statement. */
export async function chunkOf<Row>(
  pageAt: (request: PageRequest) => Page<Row>,
  after?: Position,
): Promise<Chunk<Row>> {
  const page = pageAt({ first: LENGTH, ...(after && { after }) });
  const found = await page.rows();
  if (found.length <= LENGTH) return { rows: found, next: null };
  const rows = found.slice(0, LENGTH);
  // Computed here, so that `next` does not keep the rows in memory.
  const last = page.positionOf(rows[LENGTH - 1] as Row);
  return { rows, next: () => chunkOf(pageAt, last) };
}
