import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
} from 'kysely';
import { isLatestStart, mayWrite } from './outcome.js';

/** For a query builder without a database, which only writes texts. */
const withoutDatabase: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (query) => new PostgresIntrospector(query),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

const writer = new Kysely<unknown>({ dialect: withoutDatabase });

/** Takes the place of a value while the text is written. */
class Slot {
  constructor(readonly name: string) {}
}

const slots = new Proxy({}, { get: (_, name) => new Slot(String(name)) });

/** The query builder and its raw SQL have this in common. */
interface Writable<Row> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Row>;
}

/** A statement as it is sent. */
export interface Sendable {
  text: string;
  /** PostgreSQL parses and plans a statement with a name once per connection. */
  name: string;
  parameters: unknown[];
  mayWrite: boolean;
}

type Written = Omit<Sendable, 'parameters'> & { parameters: readonly unknown[] };

/** A statement of a hot path, whose rows have the type `Row`. */
export interface Statement<Values, Row> {
  with(values: Values): Sendable;
  /** Only for type inference. */
  readonly row?: Row;
}

/**
 * Declares a statement. Its text is written once, at its first use: writing it takes longer than sending it. `write`
 * gets placeholders and not the values, so it must not look into them.
 */
export function statement<Tables, Values extends object, Row>(
  write: (query: Kysely<Tables>, values: Values) => Writable<Row>,
): Statement<Values, Row> {
  let written: Written | undefined;
  return {
    with: (values) => {
      written ??= writtenAs(write(writer as Kysely<Tables>, slots as Values).compile(writer));
      const given = values as Record<string, unknown>;
      const parameters = written.parameters.map((each) => (each instanceof Slot ? given[each.name] : each));
      return { ...written, parameters };
    },
  };
}

function writtenAs(query: CompiledQuery): Written {
  const { text, parameters } = sharing(query);
  return { text, name: nameOf(text), parameters, mayWrite: mayWrite(text) };
}

/** A digest of the text, so that nobody has to think of names. */
export const nameOf = (text: string) =>
  `steady_${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;

/** A value that occurs several times is sent once. */
function sharing({ sql, parameters }: CompiledQuery): Pick<Written, 'text' | 'parameters'> {
  const kept: unknown[] = [];
  const numbers = parameters.map((parameter) => {
    const known = kept.findIndex((each) => isSame(each, parameter));
    return known === -1 ? kept.push(parameter) : known + 1;
  });
  return { text: sql.replace(/\$(\d+)/g, (_, number) => `$${numbers[number - 1]}`), parameters: kept };
}

const isSame = (one: unknown, other: unknown) =>
  one instanceof Slot && other instanceof Slot
    ? one.name === other.name
    : isLatestStart(one) && one === other;
