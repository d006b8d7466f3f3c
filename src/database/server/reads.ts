import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import type { FairSemaphore, Release } from '../../base/queues/fair-semaphore.js';
import {
  currentRequest,
  inBackground,
  noteRead,
  type Request,
  readsTooMuch,
  refuseTooMuch,
} from '../../base/request.js';
import type { Sender } from '../backend.js';
import { isConnectionLost, isPlanStale } from '../outcome.js';
import {
  IS_READ_ONLY,
  leaveServer,
  ownerNow,
  preparedName,
  type Shared,
  semaphoreOf,
  streamOf,
  withOutcome,
} from '../pool/connection.js';
import type { GuardedPool } from '../pool/guard.js';
import { type Answer, type Config, Prepared, PreparedQuery } from '../pool/prepared-query.js';
import type { Sendable } from '../statement.js';

/** No connection is made for so long after one could not be made. */
const PAUSE_MS = 250;

/** Two, so that one slow read or one lost connection does not stop all. */
const CONNECTIONS = 2;

/** One user may have so many reads under way. */
const OF_ONE = 8;

/** One read may bring so much. More counts as several, so that large lists come one after the other. */
const SMALL_BYTES = 65_536;

/** So many users at most are known to read much. */
const MOST_KNOWN = 1_000;

/**
 * The connections for the reads of hot paths, which lend nothing to anybody: a read that fails here, or is late, is
 * asked again over the pool, which says what came of it.
 */
export class Reads implements Sender {
  private readonly pipelines: (Pipeline | undefined)[] = Array.from({ length: CONNECTIONS });
  private readonly opening = new Set<number>();
  private readonly semaphore: FairSemaphore;
  /** How much the last reads of each user have brought. */
  private readonly largeBytes = new Map<string, number>();
  private pauseUntil = 0;
  private isClosed = false;

  constructor(
    private readonly newClient: () => pg.Client,
    private readonly pool: GuardedPool,
  ) {
    this.semaphore = semaphoreOf({ ofOne: OF_ONE }, pool.shared);
  }

  async send(statement: Sendable): Promise<unknown[]> {
    refuseTooMuch();
    const request = currentRequest();
    const before = request?.read ?? 0;
    const [owner, weight] = [ownerNow(), this.weightOf(request)];
    const release = this.semaphore.tryAcquire(owner, weight) ?? (await this.wait(owner, weight));
    try {
      const rows = await this.over(statement).catch(() => undefined);
      refuseTooMuch();
      return rows ?? (await this.pool.send(statement));
    } finally {
      if (request) this.noteSize(request, request.read - before);
      release();
    }
  }

  private async wait(owner: string, weight: number): Promise<Release> {
    try {
      return await this.semaphore.acquire(owner, weight);
    } catch (error) {
      throw withOutcome(error, false);
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.pipelines.map((pipeline) => pipeline?.end()));
  }

  private weightOf(request: Request | null): number {
    return 1 + Math.floor((this.largeBytes.get(request?.asker ?? '') ?? 0) / SMALL_BYTES);
  }

  /** How large a read is, is known too late; but whoever has read much will do so again. */
  private noteSize({ asker = '' }: Request, bytes: number): void {
    const size = Math.max(bytes, (this.largeBytes.get(asker) ?? 0) / 2);
    this.largeBytes.delete(asker);
    if (size <= SMALL_BYTES) return;
    this.largeBytes.set(asker, size);
    const [oldest] = this.largeBytes.keys();
    if (this.largeBytes.size > MOST_KNOWN && oldest !== undefined) this.largeBytes.delete(oldest);
  }

  private async over(statement: Sendable): Promise<unknown[] | undefined> {
    let best: Pipeline | undefined;
    for (let at = 0; at < CONNECTIONS; at += 1) {
      const pipeline = this.at(at);
      if (pipeline?.isQuick && (!best || pipeline.size < best.size)) best = pipeline;
    }
    return best?.ask(statement);
  }

  private at(place: number): Pipeline | undefined {
    const pipeline = this.pipelines[place];
    if (pipeline?.isOfUse) return pipeline;
    if (pipeline) {
      this.pipelines[place] = undefined;
      pipeline.end().catch(() => {});
    }
    void inBackground(() => this.open(place));
    return undefined;
  }

  private async open(place: number): Promise<void> {
    if (this.isClosed || this.opening.has(place) || performance.now() < this.pauseUntil) return;
    this.opening.add(place);
    const client = this.newClient();
    client.on('error', () => {}); // its reads fail with it, and are asked again
    try {
      await client.connect();
      this.pipelines[place] = new Pipeline(client, this.pool.shared);
      if (this.isClosed) await client.end();
    } catch {
      this.pauseUntil = performance.now() + PAUSE_MS;
      streamOf(client).destroy();
    } finally {
      this.opening.delete(place);
    }
  }
}

/** The server ends a read that takes longer, which then goes over the pool. */
export const READ_TIMEOUT_MS = 200;

/** A read of which no row has come by then is asked again over the pool. */
const ASK_AGAIN_AFTER_MS = 100;

/** A connection whose oldest read has waited longer is given no other. */
const SLOW_AFTER_MS = 50;

/** A connection whose oldest read has waited longer is lost. */
const LOST_AFTER_MS = 1_000;

const LOOK_EVERY_MS = 25;

const LIFETIME_MS = 600_000;

/** A connection over which nothing is asked is kept for so long. */
const IDLE_MS = 10_000;

/** The server is asked so often whether it takes writes. */
const ASK_AFTER_MS = 4_000;

/** Counts what it reads. */
class Read extends PreparedQuery {
  hasRows = false;
  private request: Request | null = currentRequest();

  override handleDataRow(message: { length: number }): void {
    this.hasRows = true;
    noteRead(message.length, this.request);
    if (readsTooMuch(this.request)) this._canceledDueToError = new Error('Nobody reads the rest');
    super.handleDataRow(message);
  }

  /** It is asked again elsewhere: what still comes does not count. */
  giveUp(): void {
    this.request = null;
    this._canceledDueToError = new Error('Nobody waits for it');
  }
}

class NoAnswer extends Error {}

interface UnderWay {
  read: Read;
  since: number;
  giveUp: (error: NoAnswer) => void;
}

/** One connection over which many reads are under way at a time. Each is a transaction of its own. */
class Pipeline {
  /** In the order in which they are answered. No Set: see docs/performance.md. */
  private readonly underWay: UnderWay[] = [];
  private readonly prepared: Prepared;
  private readonly server: number;
  private readonly openedAt = performance.now();
  private askedAt = performance.now();
  private usedAt = performance.now();
  private isOpen = true;
  private isCorked = false;
  private isWatched = false;

  constructor(
    private readonly client: pg.Client,
    private readonly shared: Shared,
  ) {
    this.prepared = new Prepared(client);
    this.server = shared.server;
    const look = setInterval(() => {
      if (this.size === 0 && performance.now() - this.usedAt >= IDLE_MS) this.end().catch(() => {});
    }, IDLE_MS);
    look.unref();
    client.on('end', () => {
      clearInterval(look);
      this.isOpen = false;
    });
  }

  get size(): number {
    return this.underWay.length;
  }

  get isOfUse(): boolean {
    return (
      this.isOpen && this.server === this.shared.server && performance.now() - this.openedAt < LIFETIME_MS
    );
  }

  get isQuick(): boolean {
    return this.waitedMs() < SLOW_AFTER_MS;
  }

  async ask({ text, name, parameters: values }: Sendable): Promise<unknown[]> {
    const { shared } = this;
    this.askWhetherReadOnly();
    const { generation } = shared;
    try {
      const rows = await this.send({
        text,
        name: preparedName(name, shared),
        values,
      });
      shared.isAway = false;
      return rows;
    } catch (error) {
      if (isConnectionLost(error)) shared.lostAt = performance.now();
      if (isPlanStale(error) && generation === shared.generation) shared.generation += 1;
      throw error;
    }
  }

  async end(): Promise<void> {
    this.isOpen = false;
    await this.client.end();
  }

  private send(config: Config): Promise<unknown[]> {
    this.cork();
    this.usedAt = performance.now();
    return new Promise((resolve, reject) => {
      const done = (error: unknown, result: Answer) => {
        this.underWay.splice(this.underWay.indexOf(own), 1);
        if (error) reject(error);
        else resolve(result.rows);
      };
      const read = new Read(config, done, this.prepared);
      const own = { read, since: performance.now(), giveUp: reject };
      this.underWay.push(own);
      this.watch();
      this.client.query(read);
    });
  }

  /** All that is asked in one turn of the event loop is written at once. */
  private cork(): void {
    if (this.isCorked) return;
    const stream = streamOf(this.client);
    this.isCorked = true;
    stream.cork();
    setImmediate(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }

  private watch(): void {
    if (this.isWatched) return;
    this.isWatched = true;
    setTimeout(async () => {
      await turn(); // after a long turn of the event loop, answers may be there that are not read yet
      this.isWatched = false;
      const now = performance.now();
      for (const { read, since, giveUp } of this.underWay) {
        if (now - since < ASK_AGAIN_AFTER_MS) break;
        if (read.hasRows) continue;
        read.giveUp();
        giveUp(new NoAnswer('A read has no answer'));
      }
      if (this.waitedMs() > LOST_AFTER_MS) streamOf(this.client).destroy();
      if (this.size > 0) this.watch();
    }, LOOK_EVERY_MS);
  }

  /** How long the oldest has been under way. */
  private waitedMs(): number {
    for (const { since } of this.underWay) return performance.now() - since;
    return 0;
  }

  private askWhetherReadOnly(): void {
    if (performance.now() - this.askedAt < ASK_AFTER_MS) return;
    this.askedAt = performance.now();
    this.send({ text: IS_READ_ONLY, values: [] }).then(
      ([row]) => {
        if ((row as { answer: boolean }).answer) leaveServer(this.shared);
      },
      () => {},
    );
  }
}
