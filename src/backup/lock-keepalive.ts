import { type Kysely, sql } from 'kysely';

/** In milliseconds. Firewalls forget a connection that is silent for some minutes. */
const BEAT = 30_000;

/**
 * Keeps a connection that holds a lock from falling silent while `work` does something else. The signal is aborted
 * when the connection is lost, and the lock with it.
 */
export async function whileHeld<T>(
  connection: Kysely<unknown>,
  work: (lost: AbortSignal) => Promise<T>,
  { every = BEAT } = {},
): Promise<T> {
  const lost = new AbortController();
  let beat: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    beat ??= sql`select 1 as beat`
      .execute(connection)
      .catch((error: unknown) => lost.abort(error))
      .finally(() => {
        beat = undefined;
      });
  }, every);
  timer.unref();
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await beat;
  }
}
