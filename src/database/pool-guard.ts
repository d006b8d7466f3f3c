import type { Pool, PoolClient } from 'pg';
import { despiteCollisions, isPlainError, NotSent } from './faults.js';
import { LATEST_START, TOO_LATE } from './in-time.js';
import { isLate, noteChange, outcomeSoFar } from './request.js';

/** More than this would only wait in vain. */
const MAX_WAITING = 100;

/** Who fails here gives the connection back at once: the query builder would keep it. */
const BEGIN = /^(begin|start transaction)\b/;

/** In milliseconds: who has no more to say does not wait long, for a connection can be replaced. */
const ROLLBACK_TIMEOUT = 500;

interface Query {
  text: string;
  query_timeout: number;
}

const TIME_IS_UP = 'The request has no time left';

type Ask = (query: string | Query, values?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/**
 * As they come, the pool and the query builder lose a slot when a connection breaks inside a
 * transaction, give back connections whose query timed out, and give back connections that are
 * still inside a transaction: the next writes on them vanish. So whoever meets an error that the
 * server did not answer as a plain ERROR never lets that connection be used again.
 *
 * A statement with `inTime` is given `startLimit` milliseconds to begin.
 */
export function guard(pool: Pool, startLimit: number): void {
  boundQueue(pool);
  pool.on('connect', (client) => {
    releaseOnlyOnce(client);
    const query = client.query.bind(client);
    const session = new Session(client, query as Ask, startLimit);
    client.query = ((...args: unknown[]) =>
      typeof args[0] === 'string'
        ? session.query(args[0], args[1] as unknown[])
        : (query as (...args: unknown[]) => unknown)(...args)) as typeof client.query;
  });
}

function boundQueue(pool: Pool): void {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  pool.connect = (async () => {
    if (isLate()) throw told(new NotSent(TIME_IS_UP), false);
    if (pool.waitingCount >= MAX_WAITING) throw told(new NotSent('Too many wait for a connection'), false);
    return connect().catch((error: unknown) => {
      throw told(Object.assign(error as Error, { isLost: true }), false);
    });
  }) as typeof pool.connect;
}

/** What is known of one connection. */
class Session {
  private isInTransaction = false;
  /** The server's time, less ours, in milliseconds. */
  private difference: number | undefined;

  constructor(
    private readonly client: PoolClient,
    private readonly ask: Ask,
    private readonly startLimit: number,
  ) {}

  async query(text: string, values: readonly unknown[] = []): ReturnType<Ask> {
    if (text === 'rollback') return this.rollBack();
    const isChange = values.includes(LATEST_START);
    const send = async () => {
      const given = isChange && !isLate() ? await this.withStart(values) : values;
      if (isLate()) throw new NotSent(TIME_IS_UP);
      return this.ask(text, given);
    };
    try {
      const answer = await (this.isInTransaction ? send() : despiteCollisions(send));
      this.follow(text);
      if (isChange || text === 'commit') noteChange();
      return answer;
    } catch (error) {
      if ((error as { code?: string }).code === TOO_LATE) this.difference = undefined;
      const isPlain = error instanceof NotSent || isPlainError(error);
      const mayBeDone = !isPlain && (this.isInTransaction ? text === 'commit' : mayWrite(text));
      if (!isPlain) this.discard(error as Error);
      else if (BEGIN.test(text)) this.client.release();
      throw told(error, mayBeDone);
    }
  }

  private async rollBack(): ReturnType<Ask> {
    this.isInTransaction = false;
    try {
      return await this.ask({ text: 'rollback', query_timeout: ROLLBACK_TIMEOUT });
    } catch (error) {
      // The connection is gone, and its transaction with it.
      this.discard(error as Error);
      return { rows: [] };
    }
  }

  private follow(text: string): void {
    if (BEGIN.test(text)) this.isInTransaction = true;
    if (text === 'commit') this.isInTransaction = false;
  }

  /** By the clock of the server, which compares them. */
  private async withStart(values: readonly unknown[]): Promise<unknown[]> {
    this.difference ??= await this.measureDifference();
    const latest = new Date(performance.now() + this.difference + this.startLimit);
    return values.map((value) => (value === LATEST_START ? latest : value));
  }

  private async measureDifference(): Promise<number> {
    const { rows } = await this.ask('select clock_timestamp() as now');
    return (rows[0] as { now: Date }).now.getTime() - performance.now();
  }

  private discard(error: Error): void {
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    this.client.release(Object.assign(error, { isLost: !(error instanceof TypeError) }));
  }
}

/** Errs on the safe side: what only reads has none of these words. */
const mayWrite = (text: string) => /\b(insert|update|delete|merge|call|do)\b/i.test(text);

/** Tells what is known of the outcome: also that of a request which had changed something before. */
function told(error: unknown, mayBeDone: boolean): unknown {
  if (mayBeDone) noteChange();
  return Object.assign(error as Error, { outcome: mayBeDone ? 'UNKNOWN' : outcomeSoFar() });
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
