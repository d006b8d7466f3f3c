import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlEntityManager as EntityManager, SqlMikroORM } from '@mikro-orm/postgresql';
import { type Kysely, sql } from 'kysely';

/** One open database. It knows no feature: callers say which tables they mean. */
export class Database {
  private readonly inTransaction = new AsyncLocalStorage<true>();

  constructor(
    readonly orm: SqlMikroORM,
    /** For the line at start: what it runs on, without any secret. */
    readonly description: string,
    private readonly afterClose: () => void = () => {},
  ) {}

  query<Tables>(): Kysely<Tables> {
    this.refuseInsideTransaction();
    return this.orm.em.getConnection().getClient() as Kysely<Tables>;
  }

  /** Everything that `work` does with `tx` happens, or nothing of it. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    this.refuseInsideTransaction();
    return this.inTransaction.run(true, () => this.orm.em.fork().transactional(work));
  }

  async ping(): Promise<void> {
    await sql`select 1`.execute(this.query());
  }

  async close(): Promise<void> {
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
