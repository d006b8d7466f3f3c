import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlEntityManager as EntityManager, SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';
import { Announcements } from './announcements.js';
import type { Listen } from './listening.js';

/** One open database. It knows no feature: callers say which tables they mean. */
export class Database {
  readonly announcements: Announcements;
  private readonly inTransaction = new AsyncLocalStorage<true>();

  constructor(
    readonly orm: SqlMikroORM,
    /** For the line at start: what it runs on, without any secret. */
    readonly description: string,
    listen: Listen,
    private readonly afterClose: () => void = () => {},
  ) {
    this.announcements = new Announcements(listen, () => this.query());
  }

  query<Tables>(): Kysely<Tables> {
    this.refuseInsideTransaction();
    return this.orm.em.getConnection().getClient() as Kysely<Tables>;
  }

  /** Everything that `work` does with `tx` happens, or nothing of it. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    this.refuseInsideTransaction();
    return this.inTransaction.run(true, () => this.orm.em.fork().transactional(work));
  }

  /** Runs `work` on one connection unless another holds the lock, which ends with that connection: then null. */
  alone<Tables, T>(lock: number, work: (query: Kysely<Tables>) => Promise<T>): Promise<T | null> {
    return this.query<Tables>()
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

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.query());
  }

  async close(): Promise<void> {
    await this.announcements.close();
    await this.orm.close(true);
    this.afterClose();
  }

  /** On the embedded database, which has one connection, waiting for a second one would never end. */
  private refuseInsideTransaction(): void {
    if (this.inTransaction.getStore()) {
      throw new Error('Inside a transaction only its own entity manager may be asked');
    }
  }
}
