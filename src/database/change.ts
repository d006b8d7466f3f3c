import { type RawBuilder, sql } from 'kysely';
import { type Statement, statement } from './statement.js';

/**
 * A statement that updates rows of one user, inserts one and announces it. In parts, because several servers carry it
 * out in another way than one does; see `distributed/functions.ts`.
 */
export interface Change<Values extends { userId: string }> {
  name: string;
  types: Record<keyof Values, string>;
  /** Named queries that select and update, and insert nothing. */
  updates: (values: Values) => RawBuilder<unknown>;
  inserted: {
    into: string;
    /** By column, from the named queries. */
    row: (values: Values) => Record<string, RawBuilder<unknown>>;
    from: RawBuilder<unknown>;
    answer: Answer;
  };
  /** From the named queries. */
  updated: Answer[];
  announced: (values: Values, id: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/** Columns that are answered, of a named query that returns rows of a table. */
export interface Answer {
  columns: {
    of(table: string, prefix?: string): string[];
    textOf(table: string, prefix?: string): RawBuilder<unknown>;
  };
  query: string;
  table: string;
  prefix?: string;
}

export interface ChangeStatement<Values extends { userId: string } = never, Row = unknown>
  extends Statement<Values, Row> {
  change: Change<Values>;
}

const answered = ({ columns, query, prefix }: Answer) => columns.textOf(query, prefix);

/** As one statement, which is how one server does it in the least time. */
export function changing<Values extends { userId: string }, Row>(
  change: Change<Values>,
): ChangeStatement<Values, Row> {
  const { updates, inserted, updated, announced } = change;
  const { query } = inserted.answer;
  const whole = statement((_query, values: Values) => {
    const row = inserted.row(values);
    const queries = [...updated.map((each) => each.query), query];
    return sql<Row>`
      with ${updates(values)}, ${sql.raw(query)} as (
        insert into ${sql.raw(inserted.into)} (${sql.raw(Object.keys(row).join(', '))})
        select ${sql.join(Object.values(row))}
        from ${inserted.from}
        returning ${sql.raw(inserted.into)}.*
      )
      select ${sql.join([...updated, inserted.answer].map(answered))},
        ${announced(values, sql.raw(`${query}.id`))} as announced
      from ${sql.raw(queries.join(', '))}`;
  });
  return { ...whole, change };
}
