import pg from 'pg';
import { nameOf } from '../statement.js';

export interface Config {
  text: string;
  name?: string | undefined;
  values: readonly unknown[];
}

export type Answer = Pick<pg.QueryResult<Record<string, unknown>>, 'command' | 'rowCount' | 'rows'>;

/** The columns of an answer, as `pg` knows them. */
interface Columns {
  fields: unknown[];
  _parsers: unknown[];
  _prebuiltEmptyResultObject: object;
}

/** The types of arrays, which have no names in `pg`. */
const [DATES, TEXTS] = [1182, 1009];

/** How values arrive: timestamptz as Date; bigint and numeric as numbers; date, alone or in an array, as text. */
export const parsers = new pg.TypeOverrides();
parsers.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => new Date(text));
parsers.setTypeParser(pg.types.builtins.INT8, Number);
parsers.setTypeParser(pg.types.builtins.NUMERIC, Number);
parsers.setTypeParser(pg.types.builtins.DATE, (text) => text);
parsers.setTypeParser(DATES, pg.types.getTypeParser(TEXTS));

/** The parts of `pg`'s query that its types hide. */
interface Query extends pg.Submittable {
  name: string | undefined;
  _result: Columns & Answer;
  _accumulateRows: boolean;
  _canceledDueToError: unknown;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: { length: number }): void;
}

const Query = pg.Query as unknown as new (
  text: string,
  values: readonly unknown[],
  done: (error: unknown, result: Answer) => void,
) => Query;

/** The statements that a connection has prepared and described. */
export class Prepared {
  readonly columns = new Map<string, Columns>();
  /** The connection, without asking for descriptions. */
  readonly plain: pg.Connection;

  constructor(client: pg.ClientBase) {
    const { connection } = client as unknown as { connection: pg.Connection };
    this.plain = Object.create(connection, { describe: { value: () => {} } });
  }
}

/** A query with a name asks for the description of its columns the first time on a connection, and `pg` each time. */
export class PreparedQuery extends Query {
  constructor(
    { text, values, name }: Config,
    done: (error: unknown, result: Answer) => void,
    private readonly prepared: Prepared,
  ) {
    super(text, values, done);
    this.name = name; // given with the rest, `pg` would copy all of it
  }

  override prepare(connection: pg.Connection): void {
    const columns = this.name === undefined ? undefined : this.prepared.columns.get(this.name);
    if (columns) {
      Object.assign(this._result, columns);
      this._accumulateRows = true;
    }
    super.prepare(columns ? this.prepared.plain : connection);
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message);
    if (this.name === undefined) return;
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    this.prepared.columns.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
  }
}

/** A text that comes once more than this gets a name. */
const RECURS = 3;

/** How many texts get one: connections keep their plans for good. */
const NAMED = 100;

/** How many texts are counted at a time. */
const COUNTED = 1_000;

/**
 * Statements that nobody has declared as those of a hot path, and that come again and again: by a name PostgreSQL plans
 * them once per connection, and planning takes longer than most of them do.
 */
export class RecurringTexts {
  private readonly names = new Map<string, string>();
  private readonly times = new Map<string, number>();

  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name || this.names.size === NAMED) return name;
    const times = (this.times.get(text) ?? 0) + 1;
    if (times > RECURS) {
      this.names.set(text, nameOf(text));
      this.times.delete(text);
    } else {
      if (this.times.size === COUNTED) this.times.clear();
      this.times.set(text, times);
    }
    return this.names.get(text);
  }
}
