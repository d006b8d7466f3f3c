import { CompiledQuery, type Kysely, PostgresQueryCompiler, type RootOperationNode } from 'kysely';
import { Database } from './built.ts';

interface Statement {
  node: RootOperationNode;
  milliseconds: number;
  rows: Record<string, unknown>[];
}

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** A database that remembers what is asked of it under a lock, and how long each answer took. */
export class WatchedDatabase extends Database {
  statements: Statement[] = [];

  override alone<Tables, T>(lock: number, work: (query: Kysely<Tables>) => Promise<T>): Promise<T | null> {
    const startedAt = new Map<unknown, number>();
    const nodes = new Map<unknown, RootOperationNode>();
    const watched = (query: Kysely<Tables>) =>
      query.withPlugin({
        transformQuery: ({ node, queryId }) => {
          startedAt.set(queryId, performance.now());
          nodes.set(queryId, node);
          return node;
        },
        transformResult: async ({ queryId, result }) => {
          const milliseconds = performance.now() - (startedAt.get(queryId) ?? Number.NaN);
          const node = nodes.get(queryId);
          if (node) this.statements.push({ node, milliseconds, rows: result.rows });
          return result;
        },
      });
    return super.alone<Tables, T>(lock, (query) => work(watched(query)));
  }

  /** How the server would look for what the statements ask: `Index Scan user_progress_broken_index`. */
  async plans(): Promise<string[]> {
    const found = new Set<string>();
    const note = (plan: Plan) => {
      const { 'Node Type': type, 'Index Name': index, 'Relation Name': table } = plan;
      found.add([type, index ?? table].filter(Boolean).join(' '));
      plan.Plans?.forEach(note);
    };
    for (const { node } of this.statements) {
      const { sql, parameters } = new PostgresQueryCompiler().compileQuery(node, { queryId: '' });
      const explain = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]);
      const { rows } = await this.query().executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(explain);
      for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) note(Plan);
    }
    return [...found].sort();
  }
}
