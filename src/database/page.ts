import { type RawBuilder, sql } from 'kysely';

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

/** `key` is the pair of columns that orders the list. */
export const isAfter = (key: RawBuilder<unknown>, order: 'asc' | 'desc', { at, id }: Position) =>
  order === 'asc' ? sql<boolean>`${key} > (${at}, ${id})` : sql<boolean>`${key} < (${at}, ${id})`;
