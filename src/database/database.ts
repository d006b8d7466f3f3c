import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlEntityManager as EntityManager, SqlMikroORM } from '@mikro-orm/postgresql';
import { Kysely, type KyselyProps, sql } from 'kysely';
import { unavailable } from '../base/errors.js';
import { FairSemaphore } from '../base/queues/fair-semaphore.js';
import { shareCall } from '../base/queues/shared-call.js';
import { allowTime, noteAccount, noteChange, noteRead, outcomeSoFar } from '../base/request.js';
import { Announcements } from './announcements/announcements.js';
import type { Backend, Connections } from './backend.js';
import { reasonNow, retryCollisions } from './outcome.js';
import type { Statement } from './statement.js';

/** On each process, so that some connections are always left for everybody else. */
const WHOLE_ACCOUNTS_AT_A_TIME = 4;

/** One open database. It knows no feature: callers name the tables they mean. */
export class Database {
  readonly announcements: Announcements;
  private readonly inTransaction = new AsyncLocalStorage<true>();
  private readonly eventSemaphore: FairSemaphore;
  private readonly wholeAccounts = this.semaphore(WHOLE_ACCOUNTS_AT_A_TIME, 1);
  private forEvents: Kysely<unknown> | undefined;

  constructor(
    readonly orm: SqlMikroORM,
    private readonly backend: Backend,
  ) {
    this.eventSemaphore = new FairSemaphore({ size: backend.shareOfEvents }, null);
    this.announcements = new Announcements(backend.listen, () => this.query());
  }

  get description(): string {
    return this.backend.description;
  }

  /** Whether users are on several servers: no statement changes several tables there. */
  get isOnManyNodes(): boolean {
    return this.backend.isOnManyNodes;
  }

  query<Tables>(): Kysely<Tables> {
    const query = this.queryOn<Tables>(this.orm);
    if (!isForEvent()) return query;
    this.forEvents ??= withPermits(query as Kysely<unknown>);
    return this.forEvents as Kysely<Tables>;
  }

  /** Returns the rows of a statement of a hot path. */
  run<Values extends object, Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
    this.refuseInsideTransaction();
    const { pool, reads } = this.backend;
    const asked = statement.with(values);
    const sender = asked.mayWrite ? pool : reads;
    const rows = isForEvent() ? withPermit(() => sender.send(asked)) : sender.send(asked);
    return rows as Promise<Row[]>;
  }

  /** A queue of our own in front of this database, which tells who waits in it for too long what the reason is. */
  semaphore(size: number, ofOne: number): FairSemaphore {
    return new FairSemaphore({ size, ofOne }, (request) =>
      unavailable(outcomeSoFar(request), reasonNow({ isAway: this.backend.isAway() })),
    );
  }

  /** Runs a change that makes all tasks of a user be counted anew: it waits for others of its kind, and holds up nobody. */
  changeOfWholeAccount<T>(userId: string, work: () => Promise<T>): Promise<T> {
    return this.wholeAccounts.withPermit(userId, work);
  }

  /**
   * Marks what `work` reads as done for an event of that user: it then takes turns with other events, and does not
   * delay requests.
   */
  asEvent<T>(userId: string, work: () => T): T {
    return asEvent(this.eventSemaphore, userId, work);
  }

  /**
   * Commits everything that `work` does with `tx`, or nothing. After a collision, `work` runs again from its start.
   */
  async transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    this.refuseInsideTransaction();
    const done = await retryCollisions(() =>
      this.inTransaction.run(true, () => this.orm.em.fork().transactional(work)),
    );
    noteChange();
    return done;
  }

  /** Runs `work` in a transaction that only reads, and sees the database as it was when it began (a snapshot). */
  snapshot<Tables, T>(work: (query: Kysely<Tables>) => Promise<T>): Promise<T> {
    return inSnapshot(this.queryOn<Tables>(this.backend.maintenance), work);
  }

  /**
   * As `snapshot`, for a request: on a connection of the pool, with the deadline and the share of its user.
   */
  async snapshotForRequest<Tables, T>(work: (query: Kysely<Tables>) => Promise<T>): Promise<T> {
    const query = this.queryOn<Tables>(this.orm);
    return inSnapshot(query, (inside) => this.inTransaction.run(true, () => work(inside)));
  }

  /**
   * Runs `work` on one connection while it holds an advisory lock; null if another process holds it. The lock ends
   * with the connection.
   */
  withLock<Tables, T>(lock: number, work: (query: Kysely<Tables>) => Promise<T>): Promise<T | null> {
    return this.queryOn<Tables>(this.backend.maintenance)
      .connection()
      .execute(async (connection) => {
        const { rows } = await sql<{ isOurs: boolean }>`
          select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(connection);
        if (!rows[0]?.isOurs) return null;
        try {
          return await work(connection);
        } finally {
          // If it fails, the connection is lost or given up, and the lock ends with it.
          await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => {});
        }
      });
  }

  /** Marks the request as having changed something. Call it when a write turns out to have been applied earlier. */
  noteChange(): void {
    noteChange();
  }

  /** Says whose account a request is about that came without a token. */
  noteAccount(userId: string): void {
    noteAccount(userId);
  }

  /** In milliseconds, from its start: how long the request may send statements. For work that may take long. */
  allowTime(statementTime: number): void {
    allowTime(statementTime);
  }

  /** Counts bytes that a statement reads on the server without sending them: the limit per request includes them. */
  noteRead(bytes: number): void {
    noteRead(bytes);
  }

  /** The clock of the database server. */
  async now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(this.query());
    return rows[0]?.now ?? new Date(Number.NaN);
  }

  /** Rejects unless the database answers. Concurrent callers share one probe. */
  probe(): Promise<void> {
    return this.askOnce();
  }

  private readonly askOnce = shareCall(() => this.backend.probe());

  /** Whether the last write, or new connection, found no room on the disk of the database: it may still be read. */
  isFull(): boolean {
    return this.backend.isFull();
  }

  connections(): Connections {
    return this.backend.connections();
  }

  async close(): Promise<void> {
    await this.announcements.close();
    await this.orm.close(true);
    await this.backend.afterClose();
  }

  private queryOn<Tables>(orm: SqlMikroORM): Kysely<Tables> {
    this.refuseInsideTransaction();
    return orm.em.getConnection().getClient() as Kysely<Tables>;
  }

  /** Transactions that wait for a second connection could have all of them between them, and wait for ever. */
  private refuseInsideTransaction(): void {
    if (this.inTransaction.getStore()) {
      throw new Error('Inside a transaction only its own entity manager may be asked');
    }
  }
}

const inSnapshot = <Tables, T>(
  query: Kysely<Tables>,
  work: (inside: Kysely<Tables>) => Promise<T>,
): Promise<T> =>
  query.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);

interface Reader {
  /** Limits how many events read at a time. */
  semaphore: FairSemaphore;
  owner: string;
  hasPermit: boolean;
}

const readers = new AsyncLocalStorage<Reader>();

/** Marks what `work` reads as done for an event of `owner`: its statements wait for their turn. */
export const asEvent = <T>(semaphore: FairSemaphore, owner: string, work: () => T): T =>
  readers.run({ semaphore, owner, hasPermit: false }, work);

const isForEvent = (): boolean => readers.getStore() !== undefined;

/** Runs `work` in one turn. Outside of events it does not wait. */
export function withPermit<T>(work: () => Promise<T>): Promise<T> {
  const reader = readers.getStore();
  if (!reader || reader.hasPermit) return work();
  return reader.semaphore.withPermit(reader.owner, () => readers.run({ ...reader, hasPermit: true }, work));
}

/** A query builder whose statements wait for a permit each. */
function withPermits(query: Kysely<unknown>): Kysely<unknown> {
  const executor = query.getExecutor();
  const props = {
    executor: executor.withConnectionProvider({
      provideConnection: (consumer, options) =>
        withPermit(() => executor.provideConnection(consumer, options)),
    }),
    // Needed only for transactions and for closing, which events never do.
    config: {},
    driver: {},
    dialect: {},
  };
  return new Kysely(props as unknown as KyselyProps);
}
