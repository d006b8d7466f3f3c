import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import { currentRequest, noteRead, type Request, readsTooMuch } from '../../request.js';
import { isConnectionLost, isPlanStale } from '../outcome.js';
import { streamOf } from '../pool/connection.js';
import { type Config, Prepared, PreparedQuery, type Rows } from '../pool/prepared-query.js';
import { IS_READ_ONLY, leaveServer, preparedName, type Shared } from '../pool/shared.js';
import type { Sendable } from '../statement.js';

/** In milliseconds: the server ends a read that takes longer, which then goes over the pool. */
export const READ_TIMEOUT = 200;

/** In milliseconds: a read of which no row has come by then is asked again over the pool. */
const ASK_AGAIN_AFTER = 100;

/** In milliseconds: a connection whose oldest read has waited longer is given no other. */
const SLOW_AFTER = 50;

/** In milliseconds: a connection whose oldest read has waited longer is lost. */
const LOST_AFTER = 1_000;

/** In milliseconds: how often it is looked whether a read is late. */
const LOOK_EVERY = 25;

/**
 * In milliseconds: how long a connection is used, how long it is kept for nothing, and how often its server is asked
 * whether it takes writes.
 */
const LIFETIME = 600_000;
const IDLE = 10_000;
const ASK_AFTER = 4_000;

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
export class Pipeline {
  private readonly underWay = new Set<UnderWay>();
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
      if (this.size === 0 && performance.now() - this.usedAt >= IDLE) this.end().catch(() => {});
    }, IDLE);
    look.unref();
    client.on('end', () => {
      clearInterval(look);
      this.isOpen = false;
    });
  }

  get size(): number {
    return this.underWay.size;
  }

  get isOfUse(): boolean {
    return this.isOpen && this.server === this.shared.server && performance.now() - this.openedAt < LIFETIME;
  }

  get isQuick(): boolean {
    return this.waited() < SLOW_AFTER;
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
      const done = (error: unknown, result: Rows) => {
        this.underWay.delete(own);
        if (error) reject(error);
        else resolve(result.rows);
      };
      const read = new Read(config, done, this.prepared);
      const own = { read, since: performance.now(), giveUp: reject };
      this.underWay.add(own);
      this.watch();
      this.client.query(read);
    });
  }

  /** What is asked in one turn of the event loop is written at once. */
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
        if (now - since < ASK_AGAIN_AFTER) break;
        if (read.hasRows) continue;
        read.giveUp();
        giveUp(new NoAnswer('A read has no answer'));
      }
      if (this.waited() > LOST_AFTER) streamOf(this.client).destroy();
      if (this.underWay.size > 0) this.watch();
    }, LOOK_EVERY);
  }

  /** How long the oldest has been under way, in milliseconds. */
  private waited(): number {
    for (const { since } of this.underWay) return performance.now() - since;
    return 0;
  }

  private askWhetherReadOnly(): void {
    if (performance.now() - this.askedAt < ASK_AFTER) return;
    this.askedAt = performance.now();
    this.send({ text: IS_READ_ONLY, values: [] }).then(
      ([row]) => {
        if ((row as { answer: boolean }).answer) leaveServer(this.shared);
      },
      () => {},
    );
  }
}
