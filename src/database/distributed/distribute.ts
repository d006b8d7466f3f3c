import { type Kysely, sql } from 'kysely';
import type { Layout } from './layout.js';
import { ONE_AFTER_THE_OTHER } from './nodes.js';

/** Why a database cannot be distributed, and what to do. The message is one line. */
export class DistributionError extends Error {}

interface ForeignKey {
  name: string;
  table: string;
  target: string;
  definition: string;
}

/** For a table that is whole on every node, which may not refer to one that is spread. */
const ONLY_USERS = 'foreign key (user_id) references users (id) on delete cascade';

/** The statements that are missing; none if the database is distributed already. */
export interface Distribution {
  /** In one transaction. */
  statements: string[];
  /** Rows that were copied to the nodes are still there, unseen, in the tables of the coordinator: this clears them. */
  afterwards: string[];
}

export async function distributionOf(
  query: Kysely<unknown>,
  { spread, whole }: Layout,
): Promise<Distribution> {
  await requireCitus(query);
  const { rows: placed } = await sql<{ table: string }>`
    select logicalrelid::text as "table" from pg_dist_partition`.execute(query);
  const done = new Set(placed.map(({ table }) => table));
  const wholeNow = whole.filter((table) => !done.has(table));
  const spreadNow = [...spread].filter(([table]) => !done.has(table));
  const missing = new Set([...wholeNow, ...spreadNow.map(([table]) => table)]);
  if (missing.size === 0) return { statements: [], afterwards: [] };
  await requireFit(query);
  const keys = (await foreignKeys(query)).filter(
    ({ table, target }) => missing.has(table) || missing.has(target),
  );
  const [first = ''] = spread.keys();
  const beside = (table: string) => (table === first ? 'none' : first);
  const keyOf = ({ table, target, definition }: ForeignKey) =>
    whole.includes(table) && spread.has(target) ? ONLY_USERS : definition;
  const statements = [
    ONE_AFTER_THE_OTHER,
    ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
    ...wholeNow.map((table) => `select create_reference_table('${table}')`),
    ...spreadNow.map(
      ([table, column]) =>
        `select create_distributed_table('${table}', '${column}', colocate_with => '${beside(table)}')`,
    ),
    ...keys.map((key) => `alter table ${key.table} add constraint ${key.name} ${keyOf(key)}`),
  ];
  const clear = (table: string) => `select truncate_local_data_after_distributing_table('${table}')`;
  return { statements, afterwards: [...missing].map(clear) };
}

/** Nobody sees a part of it. */
export async function distribute(
  query: Kysely<unknown>,
  { statements, afterwards }: Distribution,
): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
  for (const statement of afterwards) await sql.raw(statement).execute(query);
}

async function foreignKeys(query: Kysely<unknown>): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select conname as name, conrelid::regclass::text as "table", confrelid::regclass::text as target,
      pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace
    order by conrelid::regclass::text, conname`.execute(query);
  return rows;
}

async function requireCitus(query: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'citus'`.execute(query);
  if (rows.length > 0) return;
  throw new DistributionError(
    'The database has no extension citus. Install Citus on each of its servers, put it into shared_preload_libraries, and run "create extension citus" in this database on each.',
  );
}

async function requireFit(query: Kysely<unknown>): Promise<void> {
  const { rows: nodes } = await sql<{ count: number }>`
    select count(*)::int as count from pg_dist_node
    where noderole = 'primary' and isactive and shouldhaveshards`.execute(query);
  if (nodes[0]?.count === 0)
    throw new DistributionError(
      'No worker node is there to hold shards. Add each with "select citus_add_node(host, port)" on the coordinator.',
    );
  const { rows: answers } = await sql<NodeAnswer>`
    select nodename || ':' || nodeport as node, success as "isReached", result as told
    from run_command_on_all_nodes('show max_prepared_transactions') join pg_dist_node using (nodeid)
    order by nodeid`.execute(query);
  const reason = whyUnfit(answers);
  if (reason) throw new DistributionError(reason);
}

/** A node's answer about its max_prepared_transactions, or why it was not reached. */
export interface NodeAnswer {
  node: string;
  isReached: boolean;
  told: string;
}

/** Each write to several nodes takes one on each of them. Citus itself replaces 0, but no other small number. */
const FEWEST_PREPARED = 50;

export function whyUnfit(answers: NodeAnswer[]): string | undefined {
  for (const { node, isReached, told } of answers) {
    if (!isReached) return `The node ${node} cannot be reached: ${told.trim()}`;
    if (Number(told) < FEWEST_PREPARED)
      return `The node ${node} can take part in ${told} transactions over several nodes at once (max_prepared_transactions), which is too few. Set max_prepared_transactions to 200 there, and restart it.`;
  }
  return undefined;
}
