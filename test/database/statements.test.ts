import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { withFeed } from '../support/feed.js';
import { completionsOf } from '../support/histories.js';
import { statementsOf } from '../support/statements.js';
import { type TestUser, type World, world } from '../support/world.js';

type Field = GraphQLField<unknown, unknown>;

/**
 * A way from a list at the root over fields that lead from row to row, such as `challenges`, `tasks`. The
 * last one is asked for everything that can be asked of it.
 */
type Way = [Field, ...Field[]];

const schema = declaredSchema();

const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());
const targetOf = (field: Field) => getNamedType(field.type);
const isPaged = (field: Field) => field.args.some(({ name }) => name === 'after');

/** What a field's rows are: of a connection its nodes. */
function rowOf(field: Field): GraphQLObjectType | undefined {
  const type = targetOf(field);
  if (!isObjectType(type)) return undefined;
  const node = isPaged(field) ? targetOf(type.getFields().nodes as Field) : type;
  return isObjectType(node) ? node : undefined;
}

function waysFrom(way: Way, length: number): Way[] {
  const row = rowOf(way.at(-1) as Field);
  if (!row) return [];
  const longer = length > 1 ? fieldsOf(row).flatMap((field) => waysFrom([...way, field], length - 1)) : [];
  return [way, ...longer];
}

const roots = fieldsOf(schema.getQueryType() as GraphQLObjectType).filter(isPaged);
const ways = roots.flatMap((root) => waysFrom([root], 3)).filter((way) => way.length > 1);

const leavesOf = (type: GraphQLObjectType): string =>
  fieldsOf(type)
    .filter(({ extensions }) => !extensions.costs) // each has a test of its own
    .filter((field) => isLeafType(targetOf(field)) && field.args.length === 0)
    .map(({ name }) => name)
    .join(' ');

const isList = ({ type }: Field) => isListType(isNonNullType(type) ? type.ofType : type);

/** Everything of a connection that may be read by itself, or of an object. */
function selectionOf(field: Field): string {
  const type = targetOf(field) as GraphQLObjectType;
  const row = rowOf(field) as GraphQLObjectType;
  if (!isPaged(field)) return leavesOf(row);
  const parts = fieldsOf(type).map((part) => {
    const below = targetOf(part);
    if (!isObjectType(below)) return part.name;
    const node = isList(part) && below !== row ? ` node { ${leavesOf(row)} }` : '';
    return `${part.name} { ${leavesOf(below)}${node} }`;
  });
  return parts.join(' ');
}

/** Of a calendar. */
const rangeOf = ({ args }: Field) =>
  args.some(({ name }) => name === 'from') ? '(from: "2026-11-01", to: "2026-11-30")' : '';

/** The rows of 100 of the first list, and three of each other one. */
function documentOf(way: Way): string {
  const written = ([field, ...rest]: Field[], isFirst: boolean): string => {
    if (!field) return '';
    const isLast = rest.length === 0;
    const given = isFirst && !isLast ? '(first: 100)' : '(first: 3)';
    const inside = isLast ? selectionOf(field) : written(rest, false);
    const rows = isPaged(field) && !isLast ? `nodes { ${inside} }` : inside;
    return `${field.name}${isPaged(field) ? given : rangeOf(field)} { ${rows} }`;
  };
  return `{ ${written(way, true)} }`;
}

const nameOf = (way: Way) => way.map(({ name }) => name).join(' → ');

/** Everything hangs on one template and one task. */
async function populated({ newUser, database }: World, rows: number): Promise<TestUser> {
  const ana = await newUser();
  await ana.hasAccepted(3);
  await sql`
    insert into user_challenges (user_id, template_id, status, start_date, created_at, updated_at)
    select ${ana.id}, 3, 'ABANDONED', now(), now(), now() from generate_series(2, ${rows}::int)
  `.execute(database.query());
  await sql`
    insert into tasks (user_id, title, points, is_daily_routine, challenge_template_id, created_at, updated_at)
    select ${ana.id}, 'Swim', 10, false, 3, now(), now() from generate_series(1, ${rows}::int)
  `.execute(database.query());
  await completionsOf(sql`
    select user_id, min(id), 10, now() from tasks cross join generate_series(1, ${rows}::int) as number
    where user_id = ${ana.id} group by user_id, number`).execute(database.query());
  await withFeed(ana);
  await sql`
    select tell(user_id, now(), json_build_object('kind', 'COMPLETION_CHANGED', 'taskId', task_id, 'completionId', id, 'challengeId', (
      select min(id) from user_challenges where user_id = ${ana.id}
    ))) from task_completions where user_id = ${ana.id}`.execute(database.query());
  return ana;
}

it('What hangs on the rows of a list costs as many statements for 30 rows as for 5, whatever it is, also on a later page', async () => {
  const here = await world();
  const [few, many] = [await populated(here, 5), await populated(here, 30)];
  const statementsFor = async (user: TestUser, query: string, variables?: object) =>
    (await statementsOf(here, () => user.rest.ask(query, variables))).toSorted();
  expect(ways.map(nameOf)).toContain('challenges → tasks → completions');
  for (const way of ways) {
    const query = documentOf(way);
    const forFew = await statementsFor(few, query);
    expect(await statementsFor(many, query), nameOf(way)).toEqual(forFew);
    // Of a page: its rows, its size, and whether something comes before it.
    expect(forFew.length).toBeLessThanOrEqual(3 * way.length);
  }

  const query = `query ($after: String) { challenges(first: 100) { nodes {
    tasks(first: 2, after: $after) { nodes { id } totalCount pageInfo { hasPreviousPage hasNextPage } }
  } } }`;
  const { tasks, activeChallenge } = await many.query(`{ tasks(first: 5) { nodes { id } }
    activeChallenge { tasks(first: 1) { pageInfo { endCursor } } } }`);
  const after = activeChallenge.tasks.pageInfo.endCursor;
  expect((await statementsFor(many, query, { after })).length).toBeLessThanOrEqual(6);
  const { challenges } = await many.query(query, { after });
  const pageInfo = { hasPreviousPage: true, hasNextPage: true };
  const page = { nodes: tasks.nodes.slice(1, 3), totalCount: 30, pageInfo };
  expect(challenges.nodes).toEqual(Array(30).fill({ tasks: page }));
});
