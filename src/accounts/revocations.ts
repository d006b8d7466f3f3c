import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { unauthenticated, unavailable } from '../errors.js';
import { shareCall } from '../queues/shared-call.js';
import type { Caller } from '../scopes.js';
import {
  deleteOlder,
  insertRevocation,
  isStanding,
  REVOKED,
  type RevocationTables,
  type Revoked,
  raiseGeneration,
  readWatermark,
  revocations,
  selectChanges,
  selectDeletions,
} from './revocation.queries.js';
import { RevokedTokens, TOKEN_DAYS, UUID } from './tokens.js';

/** In milliseconds. */
const INTERVAL = 1_000;
const HOUR = 60 * 60 * 1_000;

/** In milliseconds: after this time without news of the database, every request looks up its token there. */
const LONGEST_SILENCE = 5_000;

/** In milliseconds. A token may be older than the clock of this process says. */
const REMEMBERED = (TOKEN_DAYS + 1) * 24 * HOUR;

/** Rows that are read or deleted by one statement. */
const CHUNK = 5_000;

/** The range of its column. */
const isGeneration = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 2 ** 31;

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Takes tokens back, and knows in every process which were. The memory is filled before the process listens, and kept
 * by announcements; while those cannot be heard, by asking the database every second.
 */
export class Revocations {
  private readonly memory = new RevokedTokens();
  /** Everything that was committed before is in the memory. Undefined before the first reading. */
  private watermark: number | undefined;
  /** When the last complete reading began, on the steady clock, and on which listening connection. */
  private readAt = Number.NEGATIVE_INFINITY;
  /** The same by the clock, in milliseconds. */
  private readOn = 0;
  private readSince: number | undefined;
  private stopFollowing = () => {};
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Listens first and reads then, so that nothing in between is missed. Until that works, tokens are looked up. */
  async begin(): Promise<void> {
    const { announcements } = this.database;
    const unfollow = announcements.toAll.follow({
      topic: REVOKED,
      notify: (userId, event) => this.learn(userId, event),
      interrupt: () => void this.catchUp(),
    });
    const timer = setInterval(() => void this.tick(), INTERVAL);
    timer.unref();
    this.stopFollowing = () => {
      clearInterval(timer);
      unfollow();
    };
    await this.tick();
  }

  stop(): void {
    this.stopFollowing();
  }

  /** Whether the memory is known to be complete until a moment ago. */
  get isFresh(): boolean {
    return performance.now() - this.news() < LONGEST_SILENCE;
  }

  isRevoked(caller: Caller): boolean {
    return this.memory.has(caller);
  }

  /** Asks the database itself: whether the token is good. */
  async isGood({ userId, tokenId, generation }: Caller): Promise<boolean> {
    const rows = await this.database
      .run(revocations.standing, { userId, id: tokenId })
      .catch(() => Promise.reject(unavailable('NOT_APPLIED')));
    const [found] = rows;
    return found !== undefined && !found.isEnded && generation >= found.generation;
  }

  /** Calls `end` when the token is taken back. Returns a function that cancels it. */
  watch(caller: Caller, end: () => void): () => void {
    return this.memory.watch(caller, end);
  }

  /** Ends this token. Once it resolves, this process refuses the token. */
  async end({ userId, tokenId }: Pick<Caller, 'userId' | 'tokenId'>): Promise<Date> {
    const now = this.clock.now();
    const { rows } = await insertRevocation({ userId, id: tokenId, now }).execute(this.query());
    if (rows.length === 0) throw unauthenticated();
    this.add(userId, { id: tokenId });
    return now;
  }

  /** Call it once an API token is deleted: this process then refuses it before it answers. */
  noteEnded(userId: string, tokenId: string): void {
    this.add(userId, { id: tokenId });
  }

  /** Ends all tokens of the user. Returns the generation of those that are issued from now on. */
  async endAll(caller: Caller): Promise<number> {
    const { userId } = caller;
    const { rows } = await raiseGeneration(userId, this.clock.now(), isStanding(caller)).execute(
      this.query(),
    );
    if (!rows[0]) throw unauthenticated();
    const { generation } = rows[0];
    this.add(userId, { generation });
    return generation;
  }

  /** Call it once the deletion is committed: this process then refuses the tokens before it answers. */
  noteGone(userId: string, deletedAt = this.clock.now()): void {
    this.add(userId, { gone: true }, deletedAt);
  }

  private add(userId: string, revoked: Revoked, at = this.clock.now()): void {
    this.memory.add(userId, revoked, Math.ceil((at.getTime() + REMEMBERED) / 1_000));
  }

  /** Any client of the database can send on the channel. */
  private learn(userId: string, event: unknown): void {
    if (typeof event !== 'object' || event === null) return;
    const { id, generation, gone } = event as Record<string, unknown>;
    if (!UUID.test(userId)) return;
    if (typeof id === 'string' && UUID.test(id)) this.add(userId, { id });
    else if (isGeneration(generation)) this.add(userId, { generation });
    else if (gone === true) this.add(userId, { gone });
  }

  /** Until when nothing was missed. Being told counts only if what came before was read on the same connection. */
  private news(): number {
    return this.isTold ? Math.max(this.database.announcements.toAll.askUntil(), this.readAt) : this.readAt;
  }

  private get isTold(): boolean {
    const { since } = this.database.announcements.toAll;
    return since !== undefined && since === this.readSince;
  }

  private async tick(): Promise<void> {
    const { announcements } = this.database;
    await announcements.open().catch(() => {}); // it has been opened, but for a fault at the start
    if (!this.isTold || !announcements.toAll.isHeard) await this.catchUp();
    if (performance.now() - this.sweptAt > HOUR) void this.sweep();
  }

  /** Failures are made up for by the next one. */
  private readonly catchUp = shareCall(() => this.read().catch(() => {}));

  private async read(): Promise<void> {
    const { since } = this.database.announcements.toAll;
    const readAt = performance.now();
    const now = this.clock.now().getTime();
    const remembered = new Date(now - REMEMBERED);
    const [found] = (await readWatermark.execute(this.query())).rows;
    const watermark = found?.watermark ?? 0;
    // A server that took over may count its transactions from lower on: then everything is read again.
    const known = this.watermark !== undefined && this.watermark <= watermark ? this.watermark : 0;
    let place = { change: known - 1, id: LAST_ID };
    for (;;) {
      const rows = await selectChanges(this.query(), place, remembered, CHUNK).execute();
      for (const { id, userId, generation, revokedAt } of rows)
        this.add(userId, generation === null ? { id } : { generation }, revokedAt);
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) break;
      place = last;
    }
    // Other processes write deletions, by clocks of their own.
    await this.readDeletions(known === 0 ? remembered : new Date(this.readOn - HOUR));
    this.watermark = watermark;
    this.readOn = now;
    this.readAt = readAt;
    this.readSince = since;
  }

  private async readDeletions(since: Date): Promise<void> {
    let place = { deletedAt: since, id: LAST_ID };
    for (;;) {
      const rows = await selectDeletions(this.query(), place, CHUNK).execute();
      for (const { id, deletedAt } of rows) this.add(id, { gone: true }, deletedAt);
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) return;
      place = last;
    }
  }

  private async sweep(): Promise<void> {
    this.sweptAt = performance.now();
    const now = this.clock.now().getTime();
    this.memory.forgetUntil(now / 1_000);
    const old = () => deleteOlder(new Date(now - REMEMBERED), CHUNK).execute(this.query());
    try {
      while ((await old()).rows.length === CHUNK);
    } catch {
      // The next sweep makes up for this one.
    }
  }

  private query() {
    return this.database.query<RevocationTables>();
  }
}
