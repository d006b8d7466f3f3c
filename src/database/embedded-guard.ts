/** As much of PGlite as the query builder uses. */
interface Embedded {
  query(text: string, values?: unknown[], options?: unknown): Promise<unknown>;
  exec(text: string): Promise<unknown>;
  transaction(work: (tx: Pick<Embedded, 'query'>) => Promise<unknown>): Promise<unknown>;
}

const IN_FAILED_TRANSACTION = '25P02';

/**
 * The embedded database has one session. Should a failure ever leave that inside a transaction that
 * has failed, every statement from then on would be refused, and the query builder would wait for
 * ever for a transaction that cannot begin. So the session is cleared and the statement tried again;
 * what still cannot begin fails at its first statement.
 */
export function guardEmbedded(database: Embedded): void {
  const query = database.query.bind(database);
  const transaction = database.transaction.bind(database);
  const clear = () => database.exec('rollback').catch(() => {});

  database.query = async (...statement) => {
    try {
      return await query(...statement);
    } catch (error) {
      if ((error as { code?: string }).code !== IN_FAILED_TRANSACTION) throw error;
      await clear();
      return query(...statement);
    }
  };

  database.transaction = async (work) => {
    let hasBegun = false;
    const noted: typeof work = (tx) => {
      hasBegun = true;
      return work(tx);
    };
    try {
      return await transaction(noted);
    } catch (error) {
      if (hasBegun) throw error;
      await clear();
    }
    try {
      return await transaction(noted);
    } catch (error) {
      if (!hasBegun) await work({ query: () => Promise.reject(error) });
      throw error;
    }
  };
}
