import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlMikroORM } from '@mikro-orm/postgresql';
import type { CompiledQuery, Kysely } from 'kysely';
import { FairSemaphore } from '../../fair-queue.js';
import { currentRequest, isLate, noteChange, refuseTooMuch, timeLeft } from '../../request.js';
import { asStatement } from '../../telemetry/spans.js';
import type { Backend } from '../backend.js';
import { mayWrite, NotSent, TIME_IS_UP } from '../outcome.js';
import { Shares } from '../shares.js';
import type { Sendable } from '../statement.js';
import { within } from '../within.js';
import type { PreparedStatements } from './prepared.js';

/**
 * Does what the guard of the pool does on a server: shares the one connection, and refuses statements past the
 * deadline. `send` takes statements past the query builder.
 */
export function shareOut(
  orm: SqlMikroORM,
  statements: PreparedStatements,
): Required<Pick<Backend, 'send' | 'alone'>> {
  const shares = new Shares(1);
  const held = new Held();
  const line = new FairSemaphore(1);
  /** Everybody stands in the same line: the query builder and PGlite have one each, and the second never empties. */
  const onConnection = async <T>(work: () => Promise<T>): Promise<T> => {
    refuseLate();
    refuseTooMuch();
    await held.pass();
    const leave = await shares.take();
    try {
      return await line.hold('', () => {
        refuseLate();
        return work();
      });
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
  const send = async (statement: Sendable) => {
    const rows = await asStatement(statement.text, () => onConnection(() => statements.execute(statement)));
    noteDone(statement.mayWrite);
    return rows;
  };
  return { send, alone: (asker, work) => held.alone(asker, work) };
}

/** Askers whose rows are incomplete until some work is done: their requests wait for it. */
class Held {
  private readonly work = new Map<string, Set<Promise<unknown>>>();
  private readonly inside = new AsyncLocalStorage<string>();

  async alone<T>(asker: string, work: () => Promise<T>): Promise<T> {
    const running = this.inside.run(asker, work);
    const all = this.work.get(asker) ?? new Set();
    this.work.set(asker, all.add(running));
    try {
      return await running;
    } finally {
      all.delete(running);
      if (all.size === 0) this.work.delete(asker);
    }
  }

  async pass(): Promise<void> {
    if (this.work.size === 0) return;
    const { asker } = currentRequest() ?? {};
    if (asker === undefined || asker === this.inside.getStore()) return;
    for (let all = this.work.get(asker); all; all = this.work.get(asker)) {
      await within(timeLeft(), Promise.allSettled(all)).catch(refuseLate);
    }
  }
}

function refuseLate(): void {
  if (isLate()) throw new NotSent(TIME_IS_UP);
}

function noteDone(mayHaveWritten: boolean): void {
  if (mayHaveWritten) noteChange();
  refuseTooMuch();
}
