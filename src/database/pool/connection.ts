import type { Socket } from 'node:net';
import type { Client, PoolClient, QueryConfig } from 'pg';
import { isoOf } from '../../base/clock.js';
import { FairSemaphore } from '../../base/queues/fair-semaphore.js';
import {
  answerLeft,
  currentRequest,
  isLate,
  noteChange,
  noteRead,
  outcomeSoFar,
  type Request,
  readsTooMuch,
  refuseTooMuch,
} from '../../base/request.js';
import {
  isConnectionLost,
  isHeldByPooler,
  isLatestStart,
  isOutOfRoom,
  isPlainError,
  isPlanStale,
  isReadOnly,
  isUnanswered,
  mayWrite,
  NotSent,
  reasonNow,
  retryCollisions,
  TOO_LATE,
} from '../outcome.js';
import { type Answer, type Config, Prepared, PreparedQuery, type RecurringTexts } from './prepared-query.js';

export type NotifyRoom = (line: string, hasRoom: boolean) => void;

/** A disk that is nearly full takes small writes and refuses others: not each of these changes has a line. */
const QUIET_MS = 60_000;

/** What a write has noticed is believed for so long. Then it is tried out, or who only reads would never hear of room. */
const BELIEVED_MS = 15_000;

/** Whether the disk of a database has room, as far as all of its pools have noticed. */
export class Room {
  /** Whether the last write, the last new connection or the last trial found none. */
  isFull = false;
  private noticedAt = Number.NEGATIVE_INFINITY;
  private hasNotified = false;
  private quietUntil = Number.NEGATIVE_INFINITY;

  constructor(private readonly notify: NotifyRoom = () => {}) {}

  get isInDoubt(): boolean {
    return this.isFull && performance.now() - this.noticedAt > BELIEVED_MS;
  }

  noteNone(error: unknown): void {
    this.isFull = true;
    const now = performance.now();
    this.noticedAt = now;
    if (this.hasNotified || now < this.quietUntil) return;
    this.hasNotified = true;
    this.quietUntil = now + QUIET_MS;
    const { message } = error as Error;
    this.notify(`The database has no room for what is written, and only reads go on: ${message}`, false);
  }

  noteSome(): void {
    this.isFull = false;
    if (!this.hasNotified) return;
    this.hasNotified = false;
    this.notify('The database has room again for what is written', true);
  }
}

/** The connections of a pool share this: what one has noticed holds for all. */
export interface Shared {
  /** When the server's clock was found to have stepped. */
  clockSteppedAt: number;
  /** Part of the names of statements. A new one is begun when a migration has made prepared statements stale. */
  generation: number;
  recurring: RecurringTexts;
  /** Counts the servers that have been left because they were read-only. */
  server: number;
  leftAt: number;
  /** When a connection was lost. Older ones may be lost too, so they are asked before they are lent. */
  lostAt: number;
  /** Whether the last answer was lost or late, or the last connection could not be made. */
  isAway: boolean;
  /** When a connection could not be made, though those that are open may answer. */
  unmadeAt: number;
  readonly room: Room;
}

/** A standby, or a server that is kept from writing. */
export const IS_READ_ONLY =
  "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as answer";

/** Connections are made anew so often while the server stays read-only. */
const LEAVE_AFTER_MS = 1_000;

/** The server has become read-only, so it is not the primary any more: new connections may find the new one. */
export function leaveServer(shared: Shared): void {
  const now = performance.now();
  if (now - shared.leftAt < LEAVE_AFTER_MS) return;
  shared.leftAt = now;
  shared.server += 1;
}

export const preparedName = (name: string | undefined, { generation }: Shared): string | undefined =>
  name === undefined ? undefined : `${name}_${generation}`;

/** Where connections or reads are shared: users take turns. Work outside of requests has a turn like one more user. */
export const semaphoreOf = (limits: { size?: number; ofOne: number }, shared: Shared): FairSemaphore =>
  new FairSemaphore({ ...limits, keepsPermit: true }, () => new NotSent(reasonNow(shared)));

export const ownerNow = (): string => currentRequest()?.asker ?? '';

/** If it fails, the connection is released here: the query builder would not release it. */
const BEGIN = /^(begin|start transaction)\b/;

/** Short, because a connection whose rollback hangs is simply replaced. */
const ROLLBACK_TIMEOUT_MS = 500;

/** A lock that is held is given back: that never takes long. */
const ABOUT_LOCK = /^select pg_advisory_unlock\(/;

/** A connection that does not answer them is lost. */
const ABOUT_LOCK_TIMEOUT_MS = 5_000;

interface Query {
  text: string;
  values?: readonly unknown[];
  /** Hot statements have one. */
  name?: string | undefined;
  query_timeout?: number | undefined;
}

/** A connection passes from one request to the next so often before it lies in the pool again. */
const MOST_PAST_POOL = 1_000;

/** A connection is used for so long before it is asked again whether it takes writes. */
const ASK_AFTER_MS = 4_000;

interface Limits {
  startLimitMs: number;
  clocksTrustedMs: number;
  namesStatements: boolean;
  /** Then it is replaced, if another one is open and one more could be: servers hold more and more for a session. */
  lifetimeMs: number;
  /** Returns what an error means, where another than one server tells it. */
  explained: ((error: unknown, text: string) => unknown) | undefined;
  /** An answer is waited for so long; no limit without it. */
  answerMs: number | undefined;
}

interface Wire {
  connection: { stream: Socket };
}

/**
 * The socket of a client, which the types of `pg` hide. Destroyed directly, since `end()` would wait for a server
 * that is gone.
 */
export const streamOf = (client: Client | PoolClient): Socket =>
  (client as unknown as Wire).connection.stream;

/** One connection, as the guard lends it. */
export class PoolConnection {
  /** Undefined while it lies in the pool. */
  private whenReleased: ((lost?: Error) => void) | undefined;
  /** How often it was lent since it lay in the pool, which replaces old ones. */
  private timesLent = 0;
  private isInTransaction = false;
  /** The server's clock minus ours, and when it was measured. */
  private clocks = { differenceMs: 0, comparedAt: Number.NEGATIVE_INFINITY };
  /** The request whose statement is under way: bytes received count towards it. */
  private reader: Request | null = null;
  private readonly stream: ReturnType<typeof streamOf>;
  private readonly prepared: Prepared;
  private readonly server: number;
  /** Whether it was lost under a read that may be asked again on another one. */
  private hasLostRead = false;
  private readonly oldFrom: number;
  /** When it was asked whether it takes writes. */
  private askedAt = performance.now();

  constructor(
    private readonly client: PoolClient,
    private readonly limits: Limits,
    private readonly shared: Shared,
    private readonly onAnother: <T>(work: (connection: PoolConnection) => Promise<T>) => Promise<T>,
  ) {
    this.stream = streamOf(client);
    this.prepared = new Prepared(client);
    this.server = shared.server;
    this.oldFrom = performance.now() + limits.lifetimeMs * (1 + Math.random()); // all of a start are not old at once
    this.stream.on('data', (chunk) => this.countReceived(chunk.length));
  }

  /**
   * False if its server has been left since it was made, or takes no writes any more. A promise only if the server has
   * to be asked.
   */
  isOfUse(): boolean | Promise<boolean> {
    const { shared } = this;
    if (this.server < shared.server) return false;
    const knownFrom = Math.max(shared.lostAt, performance.now() - ASK_AFTER_MS);
    return this.askedAt > knownFrom || this.takesWrites();
  }

  private async takesWrites(): Promise<boolean> {
    const { shared } = this;
    this.askedAt = performance.now();
    try {
      const { rows } = await this.ask({ text: IS_READ_ONLY, query_timeout: this.answerLimitMs() });
      const isReadOnly = (rows[0] as { answer: boolean }).answer;
      if (isReadOnly) leaveServer(shared);
      return !isReadOnly;
    } catch (error) {
      shared.isAway = isUnanswered(error);
      return false;
    }
  }

  get isOld(): boolean {
    return performance.now() >= this.oldFrom;
  }

  lentUntil(whenReleased: (lost?: Error) => void): this {
    this.timesLent += 1;
    this.whenReleased = whenReleased;
    return this;
  }

  get maySkipPool(): boolean {
    return this.timesLent < MOST_PAST_POOL;
  }

  /** The pool drops one that is `lost`. */
  toPool(lost?: Error | boolean): void {
    this.timesLent = 0;
    this.client.release(lost);
  }

  /** The pool throws if it gets a connection twice: the query builder releases what was discarded already. */
  release(error?: Error): void {
    const { whenReleased } = this;
    if (!whenReleased) return;
    this.whenReleased = undefined;
    whenReleased(error);
  }

  async query(asked: string | Query, values?: readonly unknown[]): Promise<Answer> {
    const query = typeof asked === 'string' ? { text: asked, values } : asked;
    try {
      return await this.guarded(query);
    } catch (error) {
      if (!this.hasLostRead) throw error;
      return this.onAnother((other) => other.guarded(query));
    }
  }

  private async guarded({ text, values = [], name }: Query): Promise<Answer> {
    if (text === 'rollback') return this.rollBack();
    try {
      return await this.answer({ text, values, name });
    } finally {
      if (readsTooMuch()) this.discard(new Error('Nobody reads the rest'));
      refuseTooMuch();
    }
  }

  private async answer({ text, values, name }: Config): Promise<Answer> {
    const isChange = values.some(isLatestStart);
    const attempt = () => this.attempt({ text, values, name }, isChange);
    try {
      const answer = await (this.isInTransaction ? attempt() : retryCollisions(attempt));
      this.shared.isAway = false;
      this.follow(text);
      if (isChange || text === 'commit') noteChange();
      if ((isChange || mayWrite(text)) && answer.rowCount) this.shared.room.noteSome();
      return answer;
    } catch (told) {
      const error = this.limits.explained?.(told, text) ?? told;
      const isPlain = error instanceof NotSent || isPlainError(error);
      if (isOutOfRoom(error)) this.shared.room.noteNone(error);
      const isSent = isLost(error) || (!isPlain && !isHeldByPooler(error));
      const mayBeDone = isSent && (this.isInTransaction ? text === 'commit' : mayWrite(text));
      if (!(error instanceof NotSent)) this.shared.isAway = isUnanswered(error) || isConnectionLost(error);
      if (isConnectionLost(error)) {
        this.shared.lostAt = performance.now();
        const isRead = !this.isInTransaction && !mayWrite(text) && !BEGIN.test(text);
        this.hasLostRead = isRead && currentRequest() !== null;
      }
      if (!isPlain) this.discard(error as Error);
      else if (BEGIN.test(text)) this.release();
      throw withOutcome(error, mayBeDone);
    }
  }

  private async attempt({ text, values, name }: Config, isChange: boolean): Promise<Answer> {
    if (isChange && !this.areClocksTrusted && !isLate()) this.clocks = await this.compareClocks();
    if (isLate()) throw new NotSent(reasonNow(this.shared));
    this.reader = currentRequest();
    try {
      return await this.ask({
        text,
        values: isChange ? this.withStart(values) : values,
        name: this.nameFor(text, values, name),
        query_timeout: ABOUT_LOCK.test(text) ? ABOUT_LOCK_TIMEOUT_MS : this.answerLimitMs(),
      });
    } catch (error) {
      if ((error as { code?: string }).code === TOO_LATE) this.shared.clockSteppedAt = performance.now();
      if (isPlanStale(error)) this.shared.generation += 1;
      if (isReadOnly(error)) leaveServer(this.shared);
      throw error;
    } finally {
      this.reader = null;
    }
  }

  /** Commands plan theirs anew: they read a large part of a table, and it matters which. */
  private nameFor(text: string, values: readonly unknown[], given?: string): string | undefined {
    if (!this.limits.namesStatements) return undefined;
    const recurs = given === undefined && values.length > 0 && currentRequest() !== null;
    return preparedName(recurs ? this.shared.recurring.nameOf(text) : given, this.shared);
  }

  /** No longer than the request of the statement may last. */
  private answerLimitMs(): number | undefined {
    const { answerMs } = this.limits;
    const request = currentRequest();
    return answerMs && request ? Math.min(answerMs, Math.max(1, answerLeft(request))) : answerMs;
  }

  private countReceived(bytes: number): void {
    if (!this.reader) return;
    noteRead(bytes, this.reader);
    if (readsTooMuch(this.reader)) this.stream.destroy();
  }

  private ask(asked: string | Query): Promise<Answer> {
    if (typeof asked === 'string' || asked.name === undefined) return this.client.query(asked as QueryConfig);
    const { text, name, values = [], query_timeout } = asked;
    return new Promise((resolve, reject) => {
      const done = (error: unknown, result: Answer) => (error ? reject(error) : resolve(result));
      const query = new PreparedQuery({ text, name, values }, done, this.prepared);
      this.client.query(Object.assign(query, { query_timeout }));
    });
  }

  private async rollBack(): Promise<Answer> {
    this.isInTransaction = false;
    try {
      return await this.ask({ text: 'rollback', query_timeout: ROLLBACK_TIMEOUT_MS });
    } catch (error) {
      // The connection is lost, and its transaction with it.
      this.discard(error as Error);
      return { command: 'ROLLBACK', rowCount: null, rows: [] };
    }
  }

  private follow(text: string): void {
    if (BEGIN.test(text)) this.isInTransaction = true;
    if (text === 'commit') this.isInTransaction = false;
  }

  /** Replaces `LatestStart` with an instant in the server's time. `pg` takes long to write instants. */
  private withStart(values: readonly unknown[]): unknown[] {
    const latest = new Date(performance.now() + this.clocks.differenceMs + this.limits.startLimitMs);
    return values.map((value) =>
      value instanceof Date ? isoOf(isLatestStart(value) ? latest : value) : value,
    );
  }

  private get areClocksTrusted(): boolean {
    const trustedFrom = performance.now() - this.limits.clocksTrustedMs;
    return this.clocks.comparedAt > Math.max(this.shared.clockSteppedAt, trustedFrom);
  }

  private async compareClocks(): Promise<{ differenceMs: number; comparedAt: number }> {
    const { rows } = await this.ask('select clock_timestamp() as now');
    const comparedAt = performance.now();
    return { differenceMs: (rows[0] as { now: Date }).now.getTime() - comparedAt, comparedAt };
  }

  private discard(error: Error): void {
    this.stream.destroy();
    this.release(Object.assign(error, { isLost: !(error instanceof TypeError) }));
  }
}

/** Marked so by `explained`, though the connection is not lost. */
const isLost = (error: unknown): boolean => (error as { isLost?: boolean }).isLost === true;

/** Adds the outcome to an error. It is UNKNOWN as well if the request changed something earlier. */
export function withOutcome(error: unknown, mayBeDone: boolean): unknown {
  if (mayBeDone) noteChange();
  return Object.assign(error as Error, { outcome: mayBeDone ? 'UNKNOWN' : outcomeSoFar() });
}
