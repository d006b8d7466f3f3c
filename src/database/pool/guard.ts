import { setImmediate as turn } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import type { FairSemaphore, Release } from '../../base/queues/fair-semaphore.js';
import { inOwnTime } from '../../base/queues/shared-call.js';
import { isLate, refuseTooMuch } from '../../base/request.js';
import type { Connections } from '../backend.js';
import { isOutOfRoom, NotSent, reasonNow } from '../outcome.js';
import type { Sendable } from '../statement.js';
import { ownerNow, PoolConnection, Room, type Shared, semaphoreOf, withOutcome } from './connection.js';
import { RecurringTexts } from './prepared-query.js';

const CLOCKS_TRUSTED_MS = 10_000;

const LIFETIME_MS = 450_000;

/** For so long after a connection could not be made, those that are open are kept, however old. */
const KEEP_OLD_MS = 60_000;

const UNKNOWN_YET = {
  clockSteppedAt: Number.NEGATIVE_INFINITY,
  generation: 1,
  server: 0,
  leftAt: Number.NEGATIVE_INFINITY,
  lostAt: Number.NEGATIVE_INFINITY,
  isAway: false,
  unmadeAt: Number.NEGATIVE_INFINITY,
};

export interface GuardSettings {
  startLimitMs: number;
  clocksTrustedMs?: number;
  lifetimeMs?: number;
  /** Whether hot statements are prepared by name: what one prepares on the connection of a pooler, others do not find. */
  namesStatements?: boolean;
  explained?: ((error: unknown, text: string) => unknown) | undefined;
  /** That of all pools of one database. */
  room?: Room;
}

/**
 * Lends the connections of a pool, and mends three bugs of the pool and the query builder: they leak a connection that
 * breaks inside a transaction, they reuse one whose query timed out, and they reuse one that is still inside a
 * transaction, where later writes vanish. So after any error that is not a plain ERROR from the server, the connection
 * is destroyed.
 *
 * A read of a request, outside of transactions, whose connection is lost is asked once more on another one. Work
 * outside of requests may hold a lock of its session, which another one would not have.
 *
 * A statement with `inTime` must begin within `startLimitMs` milliseconds. Users wait for connections in one queue, in
 * turn, and have at most half of them; each request is held to its read limit.
 */
export class GuardedPool {
  /** The query builder wants to see some. */
  readonly options = {};
  readonly shared: Shared;
  private readonly connections = new WeakMap<PoolClient, PoolConnection>();
  /** As many as there are connections: nobody waits in the pool itself, whose queue is not fair. */
  private readonly semaphore: FairSemaphore;
  /** Given back while somebody waits, who takes one at once: to pass the pool takes five times as long. */
  private readonly atHand: PoolConnection[] = [];
  private ending: Promise<void> | undefined;
  private isReplacing = false;
  private readonly size: number;

  constructor(
    private readonly pool: Pool,
    {
      startLimitMs,
      clocksTrustedMs = CLOCKS_TRUSTED_MS,
      lifetimeMs = LIFETIME_MS,
      namesStatements = true,
      explained,
      room = new Room(),
    }: GuardSettings,
  ) {
    const { max, query_timeout: answerMs } = pool.options;
    this.size = max;
    this.shared = { ...UNKNOWN_YET, recurring: new RecurringTexts(), room };
    this.semaphore = semaphoreOf({ size: max, ofOne: Math.max(1, Math.floor(max / 2)) }, this.shared);
    const limits = { startLimitMs, clocksTrustedMs, lifetimeMs, namesStatements, answerMs, explained };
    const onAnother = <T>(work: (connection: PoolConnection) => Promise<T>) => this.lent(work);
    pool.on('error', () => {}); // an idle connection broke: the pool has removed it
    pool.on('connect', (client) => {
      client.on('error', () => {}); // its statement fails with it
      this.connections.set(client, new PoolConnection(client, limits, this.shared, onAnother));
    });
  }

  /** The connection is to be released, once or more often. */
  async connect(): Promise<PoolConnection> {
    refuseTooMuch();
    try {
      const release = await this.semaphore.acquire(ownerNow());
      try {
        const connection = await this.free();
        return connection.lentUntil((lost) => this.takeBack(connection, release, lost));
      } catch (error) {
        this.release(release);
        throw error;
      }
    } catch (error) {
      throw withOutcome(error, false);
    }
  }

  async lent<T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  send({ text, name, parameters: values }: Sendable): Promise<unknown[]> {
    return this.lent(async (connection) => (await connection.query({ text, values, name })).rows);
  }

  state(): Connections {
    return { open: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.semaphore.waiting };
  }

  /** The pool never answers those who asked for a connection in the turn in which it ends: it ends in the next one. */
  end(): Promise<void> {
    this.ending ??= turn().then(() => {
      this.putAway();
      return this.pool.end();
    });
    return this.ending;
  }

  private takeBack(connection: PoolConnection, release: Release, lost?: Error): void {
    if (!lost && this.semaphore.waiting > 0 && connection.maySkipPool) this.atHand.push(connection);
    else connection.toPool(lost);
    this.release(release);
  }

  private release(release: Release): void {
    release();
    if (this.semaphore.waiting === 0) this.putAway();
  }

  private putAway(): void {
    for (const connection of this.atHand.splice(0)) connection.toPool();
  }

  private async free(): Promise<PoolConnection> {
    let replaces = false;
    try {
      for (;;) {
        if (isLate()) throw new NotSent(reasonNow(this.shared));
        const connection = this.atHand.pop() ?? (await this.fromPool());
        if (connection.isOld && this.mayReplace) {
          this.isReplacing = true;
          replaces = true;
        } else {
          const isOfUse = connection.isOfUse();
          if (isOfUse === true || (await isOfUse)) return connection;
        }
        connection.toPool(true);
      }
    } finally {
      if (replaces) this.isReplacing = false;
    }
  }

  /** Old ones are replaced one at a time, and none while no session may begin. */
  private get mayReplace(): boolean {
    const { isAway, unmadeAt, room } = this.shared;
    const areKept = isAway || room.isFull || performance.now() - unmadeAt < KEEP_OLD_MS;
    return !areKept && !this.isReplacing && this.pool.totalCount > 1;
  }

  /** On a full disk PostgreSQL may fail to begin a session: then the open ones are shared. */
  private async fromPool(): Promise<PoolConnection> {
    const { room } = this.shared;
    for (;;) {
      if (!room.isFull) this.pool.options.max = this.size;
      try {
        return this.connections.get(await this.inTime()) as PoolConnection;
      } catch (error) {
        if (isOutOfRoom(error)) room.noteNone(error);
        else Object.assign(this.shared, { isAway: true, unmadeAt: performance.now() });
        if (!isOutOfRoom(error) || this.pool.totalCount === 0)
          throw Object.assign(error as Error, { isLost: true });
        this.pool.options.max = this.pool.totalCount;
      }
    }
  }

  /** The pool waits for a new connection as long as for any; a request may have less time left. */
  private async inTime(): Promise<PoolClient> {
    if (this.ending) throw new Error('The database is closed');
    const isThere = this.pool.idleCount > this.pool.waitingCount;
    const connecting = this.pool.connect();
    if (isThere) return connecting;
    return inOwnTime(connecting, () => {
      connecting.then((client) => client.release()).catch(() => {});
      return new Error('A connection could not be made in the time of the request');
    });
  }
}
