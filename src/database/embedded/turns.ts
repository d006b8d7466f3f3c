import type { SqlMikroORM } from '@mikro-orm/postgresql';
import type { CompiledQuery, Kysely } from 'kysely';
import { isLate, noteChange, refuseTooMuch } from '../../request.js';
import { asStatement } from '../../telemetry/spans.js';
import type { Backend } from '../backend.js';
import { mayWrite, NotSent, TIME_IS_UP } from '../outcome.js';
import { ShareQueue, Shares } from '../shares.js';
import type { Sendable } from '../statement.js';
import type { PreparedStatements } from './prepared.js';

/**
 * Does what the guard of the pool does on a server: shares the one connection, and refuses statements past the
 * deadline. What it returns takes statements past the query builder.
 */
export function shareOut(orm: SqlMikroORM, statements: PreparedStatements): NonNullable<Backend['send']> {
  const shares = new Shares(1);
  const line = new ShareQueue(1);
  /** Everybody stands in the same line: the query builder and PGlite have one each, and the second never empties. */
  const onConnection = async <T>(work: () => Promise<T>): Promise<T> => {
    refuseLate();
    refuseTooMuch();
    const leave = await shares.take();
    try {
      await line.enter();
      try {
        refuseLate();
        return await work();
      } finally {
        line.leave();
      }
    } finally {
      leave();
    }
  };
  const executor = (orm.em.getConnection().getClient() as Kysely<unknown>).getExecutor();
  const provide = executor.provideConnection.bind(executor);
  executor.provideConnection = (consumer, options) => onConnection(() => provide(consumer, options));
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>, options?: object) => {
    const answer = await asStatement(query.sql, () => execute(query, options));
    noteDone(mayWrite(query.sql));
    return answer;
  };
  return async (statement: Sendable) => {
    const rows = await asStatement(statement.text, () => onConnection(() => statements.execute(statement)));
    noteDone(statement.mayWrite);
    return rows;
  };
}

function refuseLate(): void {
  if (isLate()) throw new NotSent(TIME_IS_UP);
}

function noteDone(mayHaveWritten: boolean): void {
  if (mayHaveWritten) noteChange();
  refuseTooMuch();
}
