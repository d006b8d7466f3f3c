import type { PoolClient } from 'pg';
import {
  currentRequest,
  currentVisit,
  isLate,
  noteChange,
  noteRead,
  outcomeSoFar,
  type Request,
  readsTooMuch,
  refuseTooMuch,
} from '../../request.js';
import { asStatement } from '../../telemetry/spans.js';
import { isInDoubt } from '../distributed/errors.js';
import { isLatestStart, TOO_LATE } from '../in-time.js';
import {
  isKeptByPooler,
  isNameUnknown,
  isPlainError,
  isPlanStale,
  isReadOnly,
  mayWrite,
  NotSent,
  retryCollisions,
  TIME_IS_UP,
} from '../outcome.js';
import { Exchange, type Executable } from './exchange.js';
import type { CarriedLimits } from './limits.js';
import { IS_READ_ONLY, leaveServer, type Shared } from './shared.js';
import { streamOf } from './wire.js';

/** If it fails, the connection is released here: the query builder would not release it. */
const BEGIN = /^(begin|start transaction)\b/;

/** In milliseconds: short, because a connection whose rollback hangs is simply replaced. */
const ROLLBACK_TIMEOUT = 500;

/** Statements about a lock that is held. They never take long. */
const ABOUT_LOCK = /^select (1 as beat|pg_advisory_unlock\()/;

/** In milliseconds: a connection that does not answer them is lost. */
const ABOUT_LOCK_TIMEOUT = 5_000;

export interface Query {
  text: string;
  values?: readonly unknown[];
  /** Of a statement of a hot path. */
  name?: string | undefined;
  query_timeout?: number;
}

type Asked = Required<Pick<Query, 'text' | 'values'>> & Pick<Query, 'name'>;

export type Ask = (query: string | Query, values?: readonly unknown[]) => Promise<{ rows: unknown[] }>;

/** In milliseconds: how long a connection is used before it is asked again whether it takes writes. */
const ASK_AFTER = 4_000;

/** In milliseconds. */
interface Limits {
  startLimit: number;
  clocksTrusted: number;
  /** How long an answer may take. */
  answer: number | undefined;
  /** Where a pooler is in between. */
  carried: CarriedLimits | undefined;
}

/** The guard's state of one connection. */
export class PoolConnection {
  private isInTransaction = false;
  /** The server's clock minus ours, in milliseconds, and when it was measured. */
  private clocks = { difference: 0, comparedAt: Number.NEGATIVE_INFINITY };
  /** The request whose statement is under way: bytes received count towards it. */
  private reader: Request | null = null;
  private readonly exchange: Exchange;
  private readonly stream: ReturnType<typeof streamOf>;
  private readonly server: number;
  /** When it was asked whether it takes writes. */
  private askedAt = performance.now();

  constructor(
    private readonly client: PoolClient,
    private readonly ask: Ask,
    private readonly limits: Limits,
    private readonly shared: Shared,
  ) {
    this.exchange = new Exchange(client, limits.answer);
    this.stream = streamOf(client);
    this.server = shared.server;
    this.stream.on('data', (chunk) => this.countReceived(chunk.length));
  }

  /** False if its server has been left since it was made, or takes no writes any more. */
  async isOfUse(): Promise<boolean> {
    const { shared } = this;
    if (this.server < shared.server) return false;
    if (performance.now() - this.askedAt < ASK_AFTER) return true;
    this.askedAt = performance.now();
    const isReadOnly = await this.ask(IS_READ_ONLY).then(
      ({ rows }) => (rows[0] as { answer: boolean }).answer,
      () => true,
    );
    if (isReadOnly) leaveServer(shared);
    return !isReadOnly;
  }

  async query({ text, values = [], name }: Query): ReturnType<Ask> {
    if (text === 'rollback') return this.rollBack();
    const answer = asStatement(text, () => this.answer({ text, values, name }));
    await answer.catch(() => {});
    if (readsTooMuch()) this.discard(new Error('Nobody reads the rest'));
    refuseTooMuch();
    return answer;
  }

  private async answer({ text, values, name }: Asked): ReturnType<Ask> {
    const isChange = values.some(isLatestStart);
    const send = async () => {
      const given = isChange && !isLate() ? await this.withStart(values) : values;
      if (isLate()) throw new NotSent(TIME_IS_UP);
      return this.read({ text, values: given, name });
    };
    try {
      const answer = await (this.isInTransaction ? send() : retryCollisions(send));
      this.follow(text);
      if (isChange || text === 'commit') noteChange();
      return answer;
    } catch (error) {
      const isPlain = error instanceof NotSent || isPlainError(error);
      const inDoubt = isInDoubt(error, text);
      const isSent = inDoubt || (!isPlain && !isKeptByPooler(error));
      const mayBeDone = isSent && (this.isInTransaction ? text === 'commit' : mayWrite(text));
      if (!isPlain) this.discard(error as Error);
      else if (BEGIN.test(text)) this.client.release(this.limits.carried !== undefined); // it may have begun
      if (inDoubt) Object.assign(error as Error, { isLost: true });
      throw withOutcome(error, mayBeDone);
    }
  }

  private async read({ text, values, name }: Asked): ReturnType<Ask> {
    this.reader = currentRequest();
    try {
      const known = {
        text: this.shared.comments ? commented(text) : text,
        values,
        name: this.preparedName(name),
      };
      const { carried } = this.limits;
      if (carried && !this.isInTransaction) return await this.carry(carried, known);
      if (known.name !== undefined && this.exchange.isFree) return await this.exchange.execute(known);
      return await this.ask({
        text: known.text,
        values,
        ...(ABOUT_LOCK.test(text) && { query_timeout: ABOUT_LOCK_TIMEOUT }),
      });
    } catch (error) {
      if ((error as { code?: string }).code === TOO_LATE) this.shared.clockSteppedAt = performance.now();
      if (isPlanStale(error)) this.shared.generation += 1;
      if (isReadOnly(error)) leaveServer(this.shared);
      if (isNameUnknown(error) && this.shared.prepared === 'auto') this.shared.prepared = 'off';
      throw error;
    } finally {
      this.reader = null;
    }
  }

  /** Past `pg`, which cannot send two statements in one transaction without waiting between them. */
  private carry(carried: CarriedLimits, asked: Executable): ReturnType<Ask> {
    if (BEGIN.test(asked.text)) return this.ask(asked.text + carried.inTransaction);
    if (this.exchange.isFree) return this.exchange.execute(asked, carried.ahead);
    this.discard(new Error('The connection is in the middle of a message'));
    throw new NotSent('The connection cannot be used');
  }

  private preparedName(name: string | undefined): string | undefined {
    const { prepared, generation, comments } = this.shared;
    return name === undefined || comments || prepared === 'off' ? undefined : `${name}_${generation}`;
  }

  private countReceived(bytes: number): void {
    if (!this.reader) return;
    noteRead(bytes, this.reader);
    if (readsTooMuch(this.reader)) this.stream.destroy();
  }

  private async rollBack(): ReturnType<Ask> {
    this.isInTransaction = false;
    try {
      return await this.ask({ text: 'rollback', query_timeout: ROLLBACK_TIMEOUT });
    } catch (error) {
      // The connection is lost, and its transaction with it.
      this.discard(error as Error);
      return { rows: [] };
    }
  }

  private follow(text: string): void {
    if (BEGIN.test(text)) this.isInTransaction = true;
    if (text === 'commit') this.isInTransaction = false;
  }

  /** Replaces `LatestStart` with an instant in the server's time. */
  private async withStart(values: readonly unknown[]): Promise<unknown[]> {
    const { clocksTrusted, startLimit } = this.limits;
    const trustedFrom = Math.max(this.shared.clockSteppedAt, performance.now() - clocksTrusted);
    if (this.clocks.comparedAt <= trustedFrom) this.clocks = await this.compareClocks();
    const latest = new Date(performance.now() + this.clocks.difference + startLimit);
    return values.map((value) => (isLatestStart(value) ? latest : value));
  }

  private async compareClocks(): Promise<{ difference: number; comparedAt: number }> {
    const { rows } = await this.ask('select clock_timestamp() as now');
    const comparedAt = performance.now();
    return { difference: (rows[0] as { now: Date }).now.getTime() - comparedAt, comparedAt };
  }

  private discard(error: Error): void {
    this.stream.destroy();
    this.client.release(Object.assign(error, { isLost: !(error instanceof TypeError) }));
  }
}

/** A request id has only letters, digits and `._-`. */
function commented(text: string): string {
  const id = currentVisit()?.trail?.id;
  return id === undefined ? text : `${text} /*request='${id}'*/`;
}

/** Adds the outcome to an error. It is UNKNOWN as well if the request changed something earlier. */
export function withOutcome(error: unknown, mayBeDone: boolean): unknown {
  if (mayBeDone) noteChange();
  return Object.assign(error as Error, { outcome: mayBeDone ? 'UNKNOWN' : outcomeSoFar() });
}
