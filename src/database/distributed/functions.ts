import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Answer, Change } from '../change.js';
import { latestStart } from '../outcome.js';
import { type Statement, statement } from '../statement.js';

/** A change as functions with the same answer. */
export interface Functions {
  name: string;
  create: string[];
  /** Places the inner function beside the tables. */
  distribute: (beside: string) => string;
  call: Statement<object, unknown>;
}

/**
 * Citus takes no change as one statement, or puts it together at the coordinator. So the node of the user carries
 * out a function with its updates and its insert, and the coordinator one that numbers the row, calls the first and
 * announces: those who listen are there. Both are of one transaction. The names contain what the functions say, so that
 * two releases at once have each their own.
 */
export function functionsOf<Values extends { userId: string }>(change: Change<Values>): Functions {
  const { name, types, inserted, updated } = change;
  const parameters = Object.entries({ ...types, [LATEST_START]: 'timestamptz' });
  const declared = parameters.map(([each, type]) => `"${given(each)}" ${type}`).join(', ');
  const passed = parameters.map(([each]) => `"${given(each)}"`).join(', ');
  const answer = [...updated, inserted.answer].flatMap(columnsIn);
  const returns = `returns table (${answer.map(({ alias, column }) => `"${alias}" ${column}%type`).join(', ')})`;
  const bodies = { onNode: onNode(change), announced: announcedIn(change) };
  const digest = createHash('sha256')
    .update(JSON.stringify([declared, returns, bodies]))
    .digest('hex');
  const outer = `${name}_${digest.slice(0, 10)}`;
  const inner = `${outer}_on_node`;
  const place = parameters.findIndex(([each]) => each === 'userId') + 1;
  return {
    name: outer,
    create: [
      plpgsql(`${inner}(${declared}, "${NEW_ID}" bigint) ${returns}`, bodies.onNode),
      plpgsql(
        `${outer}(${declared}) ${returns}`,
        `declare "${NEW_ID}" bigint := nextval(pg_get_serial_sequence('${inserted.into}', 'id'));
        begin
          return query select * from ${inner}(${passed}, "${NEW_ID}");
          if found then perform ${bodies.announced}; end if;
        end`,
      ),
    ],
    distribute: (beside) =>
      `select create_distributed_function('${inner}(${parameters.map(([, type]) => type).join(', ')}, bigint)', '$${place}', colocate_with => '${beside}', force_delegation => true)`,
    call: calling(outer, types),
  };
}

const LATEST_START = 'latestStart';
const NEW_ID = 'new.id';

const given = (name: string) => `given.${name}`;

const plpgsql = (declared: string, body: string) =>
  `create or replace function ${declared} language plpgsql as $function$
   #variable_conflict use_column
   ${body} $function$`;

/** The comment tells `mayWrite` what the function does. */
const calling = (name: string, types: Record<string, string>): Statement<object, unknown> =>
  statement((_query, values: Record<string, unknown>) => {
    const passed = Object.entries(types).map(([each, type]) => sql`${values[each]}::${sql.raw(type)}`);
    return sql`select * from ${sql.raw(name)}(${sql.join([...passed, sql`${latestStart()}::timestamptz`])}) /* update, insert */`;
  });

function onNode<Values extends { userId: string }>({ updates, inserted, updated }: Change<Values>): string {
  const { into, row, from, answer } = inserted;
  const found = updated.map(({ columns, query, prefix }) => columns.textOf(query, prefix));
  const counted = withNames((values: Values) => {
    const fresh = Object.entries(row(values)).map(
      ([column, value]) => sql`${value} as ${sql.raw(`"new.${column}"`)}`,
    );
    return sql`with ${updates(values)} select ${sql.join([...fresh, ...found])} from ${from}`;
  });
  const columns = Object.keys(row(NAMES as Values));
  const made = updated.flatMap(columnsIn).map(({ alias }) => `made."${alias}"`);
  const added = columnsIn(answer);
  return `declare made record; added record;
    begin
      ${counted} into made;
      if not found then return; end if;
      insert into ${into} (id, ${columns.join(', ')})
      values ("${NEW_ID}", ${columns.map((column) => `made."new.${column}"`).join(', ')})
      returning ${added.map(({ alias, column }) => `${column} as "${alias}"`).join(', ')} into added;
      return query select ${[...made, ...added.map(({ alias }) => `added."${alias}"`)].join(', ')};
    end`;
}

const announcedIn = <Values extends { userId: string }>({ announced }: Change<Values>): string =>
  withNames((values: Values) => announced(values, sql.raw(`"${NEW_ID}"`)));

/** Each value is its name. */
const NAMES: object = new Proxy({}, { get: (_, name) => String(name) });

/** A text in which each value is a parameter of a function, by its name. */
function withNames<Values extends object>(write: (values: Values) => RawBuilder<unknown>): string {
  const written = statement((_query, values: Values) => write(values));
  const { text, parameters } = written.with(NAMES as Values);
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = parameters[number - 1];
    return `"${given(typeof value === 'string' ? value : LATEST_START)}"`;
  });
}

/** `tasks.created_at as createdAt`, taken apart. */
const columnsIn = ({ columns, table, prefix }: Answer) =>
  columns.of(table, prefix).map((each) => {
    const [column = '', alias = column.slice(table.length + 1)] = each.split(' as ');
    return { column, alias };
  });
