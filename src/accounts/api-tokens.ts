import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { unavailable } from '../errors.js';
import { asRequest } from '../request.js';
import type { Caller } from '../scopes.js';
import { type ApiTokenTables, apiTokens, type FoundToken, noteUses, type Use } from './api-token.queries.js';
import { hashOf, looksLikeApiToken } from './api-token-text.js';

/** How many tokens are remembered, of some 400 bytes each, those that are unknown among them. */
const MOST_KNOWN = 10_000;

/** In milliseconds: how long an answer of the database is believed. What is revoked meanwhile is announced. */
const KNOWN_FOR = 10 * 60_000;
const UNKNOWN_FOR = 10_000;

/** Tokens that one statement looks up. */
const AT_ONCE = 500;

/** In milliseconds: between two uses of one token that are written down. */
const USES_INTERVAL = 60_000;

/** In milliseconds: how long uses are collected for one statement. */
const USES_DELAY = 1_000;

interface Known {
  found: FoundToken | null;
  until: number;
}

interface Asked {
  hash: string;
  answer: (found: FoundToken | null) => void;
  fail: (error: unknown) => void;
}

/**
 * Finds whom an API token belongs to: warm from memory. One statement at a time looks up all that are not known, so
 * that a crowd of made-up tokens cannot keep the database busy.
 */
export class ApiTokens {
  /** By hash, oldest first. */
  private readonly known = new Map<string, Known>();
  private asked: Asked[] = [];
  private isAsking = false;
  private isStopped = false;
  /** A look-up for many must not have the deadline of one. */
  private readonly outsideRequests = AsyncLocalStorage.snapshot();
  private used: Use[] = [];
  /** By token, of the last minute, on the steady clock. */
  private readonly notedAt = new Map<string, number>();
  private writing: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    /** In milliseconds: how long a look-up may take. */
    private readonly databaseTime: number,
  ) {}

  /** Null if it is unknown or has expired. */
  find(token: string): FoundToken | null | Promise<FoundToken | null> {
    if (!looksLikeApiToken(token)) return null;
    const hash = hashOf(token);
    const known = this.known.get(hash);
    if (known && known.until > performance.now()) return this.current(known.found);
    return this.ask(hash).then((found) => this.current(found));
  }

  /** Only from memory: undefined for a token that has not been looked up lately. */
  knownUserOf(token: string): string | undefined {
    return this.known.get(hashOf(token))?.found?.userId;
  }

  /** Written later and for all tokens together: no answer waits for it. */
  noteUse({ tokenId: id, userId }: Caller): void {
    const now = performance.now();
    if (this.isStopped || now - (this.notedAt.get(id) ?? Number.NEGATIVE_INFINITY) < USES_INTERVAL) return;
    this.notedAt.set(id, now);
    this.used.push({ id, userId, at: this.clock.now() });
    const write = () => this.outsideRequests(() => void this.writeUses());
    this.writing ??= setTimeout(write, USES_DELAY).unref();
  }

  /** Writes down what was used, for the last time. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.writing);
    await this.outsideRequests(() => this.writeUses());
  }

  private current(found: FoundToken | null): FoundToken | null {
    const isOver = found?.expiresAt && found.expiresAt.getTime() <= this.clock.now().getTime();
    return isOver ? null : found;
  }

  private ask(hash: string): Promise<FoundToken | null> {
    return new Promise((answer, fail) => {
      this.asked.push({ hash, answer, fail });
      void this.outsideRequests(() => this.askAll());
    });
  }

  private async askAll(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.asked.length > 0) {
      await setImmediate(); // all that ask in the same turn are looked up together
      const some = this.asked.splice(0, AT_ONCE);
      await this.lookUp(some).catch(() => {
        for (const { fail } of some) fail(unavailable('NOT_APPLIED'));
      });
    }
    this.isAsking = false;
  }

  private async lookUp(some: readonly Asked[]): Promise<void> {
    const hashes = [...new Set(some.map(({ hash }) => hash))];
    const work = () => this.database.run(apiTokens.byHashes, { hashes });
    const rows = await asRequest(this.databaseTime, work);
    const byHash = new Map(rows.map((row) => [row.hash, row as FoundToken]));
    for (const hash of hashes) this.remember(hash, byHash.get(hash) ?? null);
    for (const { hash, answer } of some) answer(byHash.get(hash) ?? null);
  }

  private remember(hash: string, found: FoundToken | null): void {
    this.known.delete(hash);
    this.known.set(hash, { found, until: performance.now() + (found ? KNOWN_FOR : UNKNOWN_FOR) });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  private async writeUses(): Promise<void> {
    const uses = this.used;
    this.used = [];
    this.writing = undefined;
    if (uses.length === 0) return;
    const past = performance.now() - USES_INTERVAL;
    for (const [id, at] of this.notedAt) if (at <= past) this.notedAt.delete(id);
    const write = () => noteUses(uses).execute(this.database.query<ApiTokenTables>());
    await asRequest(this.databaseTime, write).catch(() => {}); // it is for people's information only
  }
}
