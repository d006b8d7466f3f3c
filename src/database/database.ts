import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlEntityManager as EntityManager, SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { FairPlaces } from '../fair-line.js';
import { Announcements } from './announcements.js';
import { asEvent, inTurns, isForEvent } from './event-reads.js';
import { despiteCollisions } from './faults.js';
import type { Listen } from './listening.js';
import { noteChange } from './request.js';

export interface Connections {
  open: number;
  idle: number;
  /** Those who wait for one. */
  waiting: number;
}

/** What depends on where a database lives. */
export interface Place {
  /** For the line at start: what it runs on, without any secret. */
  description: string;
  listen: Listen;
  /** How many statements at a time may read for events; one, unless it says more. */
  shareOfEvents?: number;
  /** The same database without the time limits of requests, for what takes long. */
  aside?: SqlMikroORM;
  /** Rejects unless it answers soon, however busy it is. */
  probe?: () => Promise<void>;
  /** Undefined where there is no choice. */
  connections?: () => Connections | undefined;
  afterClose?: () => void | Promise<void>;
}

/** One open database. It knows no feature: callers say which tables they mean. */
export class Database {
  readonly announcements: Announcements;
  private readonly inTransaction = new AsyncLocalStorage<true>();
  private readonly placesOfEvents: FairPlaces;
  private forEvents: Kysely<unknown> | undefined;
  private probing: Promise<void> | undefined;

  constructor(
    readonly orm: SqlMikroORM,
    private readonly place: Place,
  ) {
    this.placesOfEvents = new FairPlaces(place.shareOfEvents ?? 1);
    this.announcements = new Announcements(place.listen, () => this.query());
  }

  get description(): string {
    return this.place.description;
  }

  query<Tables>(): Kysely<Tables> {
    const query = this.queryOn<Tables>(this.orm);
    if (!isForEvent()) return query;
    this.forEvents ??= inTurns(query as Kysely<unknown>);
    return this.forEvents as Kysely<Tables>;
  }

  /** Whatever `work` reads with `query` is for an event of that user: it keeps no request waiting. */
  asEvent<T>(userId: string, work: () => T): T {
    return asEvent(this.placesOfEvents, userId, work);
  }

  /** Everything that `work` does with `tx` happens, or nothing of it; `work` may be done again from its start. */
  async transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    this.refuseInsideTransaction();
    const done = await despiteCollisions(() =>
      this.inTransaction.run(true, () => this.orm.em.fork().transactional(work)),
    );
    noteChange();
    return done;
  }

  /** Runs `work` on one connection unless another holds the lock, which ends with that connection: then null. */
  alone<Tables, T>(lock: number, work: (query: Kysely<Tables>) => Promise<T>): Promise<T | null> {
    return this.queryOn<Tables>(this.place.aside ?? this.orm)
      .connection()
      .execute(async (connection) => {
        const { rows } = await sql<{ isOurs: boolean }>`
          select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(connection);
        if (!rows[0]?.isOurs) return null;
        try {
          return await work(connection);
        } finally {
          await sql`select pg_advisory_unlock(${lock})`.execute(connection);
        }
      });
  }

  /** The time as the database's machine tells it. */
  async now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(this.query());
    return rows[0]?.now ?? new Date(Number.NaN);
  }

  /** Rejects unless the database answers. Whoever asks meanwhile gets the same answer. */
  probe(): Promise<void> {
    this.probing ??= this.askOnce().finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  private async askOnce(): Promise<void> {
    if (this.place.probe) await this.place.probe();
    else await sql`select 1`.execute(this.query());
  }

  connections(): Connections | undefined {
    return this.place.connections?.();
  }

  async close(): Promise<void> {
    await this.announcements.close();
    await this.orm.close(true);
    await this.place.afterClose?.();
  }

  private queryOn<Tables>(orm: SqlMikroORM): Kysely<Tables> {
    this.refuseInsideTransaction();
    return orm.em.getConnection().getClient() as Kysely<Tables>;
  }

  /** On the embedded database, which has one connection, waiting for a second one would never end. */
  private refuseInsideTransaction(): void {
    if (this.inTransaction.getStore()) {
      throw new Error('Inside a transaction only its own entity manager may be asked');
    }
  }
}
