import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import type { Standby } from '../backend.js';
import { NotSent, StandbyError } from '../outcome.js';
import { streamOf } from '../pool/connection.js';
import { Late, within } from '../within.js';
import { Lag } from './lag.js';
import {
  mistakeIn,
  NotReplayed,
  OF_PRIMARY,
  OF_STANDBY,
  type Seen,
  untilReplayed,
  WAIT,
} from './replication.js';

export interface StandbySettings {
  /** In seconds: a standby that lags by more is left out. */
  maxLag: number;
  /** Called when it is left out, or used again. */
  onChange: (line: string, isUsed: boolean) => void;
}

interface Pools {
  /** For reading. */
  pool: Pool;
  leave: () => void;
  /** One connection to each, to look at them. */
  ofStandby: Pool;
  ofPrimary: Pool;
}

/** In milliseconds: how often both servers are looked at. */
const INTERVAL = 1_000;

/** In milliseconds, left out after a read that failed: exponential backoff. */
const REST = { first: 1_000, last: 60_000 };

const INSTEAD = 'the primary is read instead';

/** The SQLSTATE of what is in the way of its replay. */
const CONFLICT = '40001';

type Ended = Error & { code?: string };

/** After so many looks without an answer, nobody waits any more for what was asked before. */
const FAILURES = 2;

/**
 * A standby that is looked at all the time. It is left out while it does not answer, lags, or is none any more, and
 * comes back by itself; what fails on it is read on the primary, and nobody notices.
 */
export class WatchedStandby implements Standby {
  private readonly query: Kysely<unknown>;
  private readonly lent = new Set<PoolClient>();
  private readonly lagging = new Lag();
  private readonly timer: NodeJS.Timeout;
  private lag: number | undefined;
  private reason: string | undefined = 'is not known yet';
  private failures = 0;
  private rest = REST.first;
  private restUntil = Number.NEGATIVE_INFINITY;
  private ended: Ended | undefined;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly pools: Pools,
    private readonly settings: StandbySettings,
  ) {
    const { pool } = pools;
    pool.on('acquire', (client) => this.lent.add(client));
    pool.on('release', (_error, client) => this.lent.delete(client));
    pool.on('remove', (client) => this.lent.delete(client));
    pool.on('connect', (client) => {
      client.on('error', (error: Ended) => {
        if (error.code === CONFLICT) this.ended = error;
      });
    });
    this.query = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    this.timer = setInterval(() => this.look().catch(() => {}), INTERVAL);
    this.timer.unref();
  }

  /** Rejects with a `StandbyError` if it is of another cluster. Whatever else is wrong may pass, and is told. */
  async begin(): Promise<void> {
    await this.look();
    const giveUpAt = performance.now() + WAIT.longest;
    while (this.lag === Number.POSITIVE_INFINITY && performance.now() < giveUpAt) {
      await delay(WAIT.between);
      await this.look();
    }
    if (this.reason) this.settings.onChange(`The standby ${this.reason}: ${INSTEAD}`, false);
  }

  state() {
    const seconds = this.lag === undefined ? undefined : this.lag / 1_000;
    return { isUsed: this.reason === undefined, lag: seconds };
  }

  async read<T>(
    work: (query: Kysely<unknown>) => Promise<T>,
    otherwise: () => Promise<T>,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    if (this.reason) return otherwise();
    try {
      return await within(limit, work(this.query));
    } catch (error) {
      if (!isOfDatabase(error)) throw error;
      this.noteFailure(error);
      return otherwise();
    }
  }

  async readCurrent<T>(
    work: (connection: Kysely<unknown>) => Promise<T>,
    otherwise: () => Promise<T>,
  ): Promise<T> {
    const seen = this.reason ? undefined : await this.primary();
    if (!seen) return otherwise();
    return this.read(
      (query) =>
        query.connection().execute(async (connection) => {
          await untilReplayed(connection, seen);
          return work(connection);
        }),
      otherwise,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking?.catch(() => {});
    this.giveUp();
    const { pool, ofStandby, ofPrimary } = this.pools;
    await Promise.all([pool, ofStandby, ofPrimary].map((each) => each.end()));
  }

  /** Undefined while there is none to ask. */
  private async primary(): Promise<Seen | undefined> {
    const seen = await ask(this.pools.ofPrimary, OF_PRIMARY, false).catch(() => undefined);
    return seen?.isStandby ? undefined : seen;
  }

  private look(): Promise<void> {
    this.looking ??= this.compare().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async compare(): Promise<void> {
    const primary = await this.primary();
    if (primary) this.lagging.note(Number(primary.position), performance.now());
    let standby: Seen;
    try {
      standby = await ask(this.pools.ofStandby, OF_STANDBY, true);
      this.failures = 0;
    } catch (error) {
      this.lag = undefined;
      this.judge(`does not answer (${(error as Error).message})`);
      this.failures += 1;
      if (this.failures >= FAILURES) this.giveUp();
      return;
    }
    const mistake = primary && mistakeIn(primary, standby);
    this.lag = mistake ? undefined : this.lagging.of(Number(standby.position), performance.now());
    if (!standby.isStandby) this.pools.leave();
    if (performance.now() > this.restUntil + REST.last) this.rest = REST.first;
    const fault = mistake ? 'is none of this database' : await this.faultOf(primary, standby);
    if (fault || performance.now() > this.restUntil) this.judge(fault);
    if (mistake) throw new StandbyError(mistake);
  }

  private async faultOf(primary: Seen | undefined, standby: Seen): Promise<string | undefined> {
    if (!standby.isStandby) return 'is none: it takes writes itself';
    // It cannot have what this primary has not sent: then it has followed another one.
    if (primary && Number(standby.position) > Number(primary.position)) {
      const later = await this.primary();
      if (later && Number(standby.position) > Number(later.position)) return 'follows another primary';
    }
    const { maxLag } = this.settings;
    if (this.lag === Number.POSITIVE_INFINITY) return 'has not caught up with the primary';
    return (this.lag ?? 0) > maxLag * 1_000 ? `lags by more than ${maxLag} s` : undefined;
  }

  private judge(reason: string | undefined): void {
    const before = this.reason;
    this.reason = reason;
    if (before === undefined && reason !== undefined) {
      this.settings.onChange(`The standby ${reason}: ${INSTEAD}`, false);
    }
    if (before !== undefined && reason === undefined)
      this.settings.onChange('The standby is read from', true);
  }

  /**
   * What was cancelled, by a conflict with what it replays, says nothing of what comes next. Of a connection that was
   * ended so while it was idle, the next statement only tells that it is lost.
   */
  private noteFailure(error: unknown): void {
    if (error instanceof NotReplayed || error instanceof NotSent) return;
    const { severity, code, message } = (this.ended ?? error) as Ended & { severity?: string };
    this.ended = undefined;
    const wasCancelled = severity === 'ERROR' || code === CONFLICT;
    if (wasCancelled) this.settings.onChange(`The standby ended a read (${message}): ${INSTEAD}`, false);
    else this.leaveOut(message);
  }

  /** It may answer looks, and be too slow for reads: then each return would make somebody wait. */
  private leaveOut(message: string): void {
    this.restUntil = performance.now() + this.rest;
    this.rest = Math.min(2 * this.rest, REST.last);
    this.judge(`does not answer (${message})`);
  }

  /** Whoever waits for an answer of it fails at once, and reads on the primary. */
  private giveUp(): void {
    for (const client of this.lent) streamOf(client).destroy();
    this.pools.leave();
  }
}

/** The guard of the pool tells of each of its errors what came of the statement. What else fails would fail again. */
const isOfDatabase = (error: unknown) =>
  error instanceof NotReplayed || error instanceof Late || 'outcome' in (error as object);

/** A server that is not what it was is left: its address may lead to another by now. */
async function ask(pool: Pool, text: string, isStandby: boolean): Promise<Seen> {
  const client = await pool.connect();
  let seen: Seen | undefined;
  try {
    seen = (await client.query<Seen>(text)).rows[0] as Seen;
    return seen;
  } finally {
    client.release(seen?.isStandby !== isStandby);
  }
}
