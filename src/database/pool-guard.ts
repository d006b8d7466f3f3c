import type { Pool, PoolClient } from 'pg';

/**
 * As they come, the pool and the query builder lose a slot when a connection breaks inside a
 * transaction, give back connections whose query timed out, and give back connections that are
 * still inside a transaction: the next writes on them vanish. So whoever meets an error that the
 * server did not answer as a plain ERROR never lets that connection be used again.
 */
export function guard(pool: Pool): void {
  pool.on('connect', (client) => {
    releaseOnlyOnce(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      const answer = query(...args);
      return answer instanceof Promise
        ? answer.catch((error: unknown) => {
            if (isPlainError(error)) throw error;
            discard(client, error as Error);
            // The connection is gone, and its transaction with it.
            if (args[0] === 'rollback') return { rows: [], rowCount: 0, command: 'ROLLBACK' };
            throw error;
          })
        : answer;
    }) as typeof client.query;
  });
}

/** By severity, not by SQLSTATE: an EPIPE looks like one. */
const isPlainError = (error: unknown) => (error as { severity?: string }).severity === 'ERROR';

function discard(client: PoolClient, error: Error): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  client.release(error);
}

/** The pool sets `release` anew each time it hands the client out, and throws when it is called twice. */
function releaseOnlyOnce(client: PoolClient): void {
  let release: PoolClient['release'];
  Object.defineProperty(client, 'release', {
    get: () => release,
    set: (given: PoolClient['release']) => {
      let isReleased = false;
      release = (error) => {
        if (isReleased) return;
        isReleased = true;
        given(error);
      };
    },
  });
}
