import type { SqlMikroORM } from '@mikro-orm/postgresql';
import type { CompiledQuery, Kysely } from 'kysely';
import { isLate, noteChange, refuseTooMuch } from '../../request.js';
import { mayWrite, NotSent, TIME_IS_UP } from '../outcome.js';
import { Shares } from '../shares.js';

/**
 * Does what the guard of the pool does on a server: shares the one connection, and refuses statements past the
 * deadline.
 */
export function shareOut(orm: SqlMikroORM): void {
  const executor = (orm.em.getConnection().getClient() as Kysely<unknown>).getExecutor();
  const shares = new Shares(1);
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = async (consumer, options) => {
    if (isLate()) throw new NotSent(TIME_IS_UP);
    refuseTooMuch();
    const leave = await shares.take();
    try {
      return await provide(consumer, options);
    } finally {
      leave();
    }
  };
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>, options?: object) => {
    const answer = await execute(query, options);
    if (mayWrite(query.sql)) noteChange();
    refuseTooMuch();
    return answer;
  };
}
