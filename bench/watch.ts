import { CompiledQuery, type Kysely, PostgresQueryCompiler, type RootOperationNode } from 'kysely';
import type { Database } from '../src/database/database.js';

/** A statement that ran under an advisory lock, and how long its answer took. */
export interface Statement {
  node: RootOperationNode;
  milliseconds: number;
  rows: unknown[];
}

/** Records every statement that runs under an advisory lock from now on. */
export function watch(database: Database): Statement[] {
  const statements: Statement[] = [];
  const asked = new Map<unknown, { node: RootOperationNode; at: number }>();
  const watched = <Tables>(query: Kysely<Tables>) =>
    query.withPlugin({
      transformQuery: ({ node, queryId }) => {
        asked.set(queryId, { node, at: performance.now() });
        return node;
      },
      transformResult: async ({ queryId, result }) => {
        const statement = asked.get(queryId);
        asked.delete(queryId);
        if (statement) {
          const { node, at } = statement;
          statements.push({ node, milliseconds: performance.now() - at, rows: result.rows });
        }
        return result;
      },
    });
  const alone = database.withLock.bind(database);
  database.withLock = (lock, work) =>
    alone(lock, (query: Parameters<typeof work>[0]) => work(watched(query)));
  return statements;
}

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The nodes of the server's query plans, such as `Index Scan user_progress_broken_index`. */
export async function plansOf(statements: Statement[], database: Database): Promise<string[]> {
  const found = new Set<string>();
  const note = (plan: Plan) => {
    const { 'Node Type': type, 'Index Name': index, 'Relation Name': table } = plan;
    found.add([type, index ?? table].filter(Boolean).join(' '));
    plan.Plans?.forEach(note);
  };
  for (const { node } of statements) {
    const { sql, parameters } = new PostgresQueryCompiler().compileQuery(node, { queryId: '' });
    const explain = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]);
    const { rows } = await database.query().executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(explain);
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) note(Plan);
  }
  return [...found].sort();
}
