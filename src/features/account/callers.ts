import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { unauthenticated, unavailable } from '../../base/errors.js';
import { asRequest, inBackground } from '../../base/request.js';
import { type Access, type ApiScope, assertMay, type Caller, tokenIn } from '../../base/scopes.js';
import type { Database } from '../../database/database.js';
import { apiTokens, type FoundToken } from './api-token.queries.js';
import { looksLikeApiToken } from './api-token-text.js';
import { ApiTokenUses } from './api-token-uses.js';
import { REVOKED, sessions } from './revocation.queries.js';
import { digestOf } from './secret.js';
import type { Tokens } from './tokens.js';

/** How long a look-up is believed. What is taken back meanwhile is announced, but an announcement may get lost. */
const BELIEVED_MS = 5_000;

/** What is used or watched after this time is looked up again, so that nobody in a row of requests has to wait for it. */
const RENEWED_AFTER_MS = 2_500;

/** Look-ups that nobody waits for are gathered for so long: those of many tokens take hardly more than that of one. */
const GATHERED_MS = 500;

/** How many tokens are remembered, of some 600 bytes each. */
const MOST_KNOWN = 10_000;

const TOKENS_PER_STATEMENT = 500;

/** Later than any generation: signing out everywhere leaves API tokens alone. */
const OF_NO_GENERATION = Number.POSITIVE_INFINITY;

const isApiToken = ({ text }: Pick<Token, 'text'>) => text.startsWith('steady_');

/** A token with a valid form or signature, and what the database has said of it. */
class Token {
  /** Undefined for an API token that was not found yet. */
  caller: Caller | undefined;
  /** When the look-up began that found it good, on the steady clock. */
  goodAt = Number.NEGATIVE_INFINITY;
  /** The look-up under way: whether the token is good. */
  asking: Promise<boolean> | undefined;
  /** What lives as long as the token: connections. */
  readonly ends = new Set<() => void>();

  constructor(
    readonly text: string,
    caller?: Caller,
  ) {
    this.caller = caller;
  }
}

interface Asked {
  token: Token;
  answer: (isGood: boolean) => void;
  fail: (error: unknown) => void;
}

/**
 * Decides who a request is from. A WebSocket sends the same text in its connection parameters. It remembers sessions and
 * API tokens that were found good in the last seconds. One statement at a time looks up all that are not known, so that
 * a crowd of tokens cannot keep the database busy.
 */
export class Callers {
  /** A request is asked twice: in whose name it waits, and then who it is from. */
  private last: { authorization: unknown; text: string | undefined } = { authorization: '', text: undefined };
  /** The tokens by their text; those that were looked up last are at the end. */
  private readonly known = new Map<string, Token>();
  private readonly tokenOf = new WeakMap<Caller, Token>();
  private readonly watched = new Set<Token>();
  private asked: Asked[] = [];
  private isAsking = false;
  /** Until those that nobody waits for are asked. */
  private gathering: NodeJS.Timeout | undefined;
  /** Users of whom something was taken back during the look-ups under way, and when, on the steady clock. */
  private readonly forgottenAt = new Map<string, number>();
  private stopFollowing = () => {};
  private readonly uses: ApiTokenUses;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly tokens: Tokens,
    private readonly databaseTime: number,
  ) {
    this.uses = new ApiTokenUses(database, clock, databaseTime);
  }

  /** Hears from now on what other processes take back. */
  begin(): void {
    const { announcements } = this.database;
    const unfollow = announcements.follow(REVOKED, (userId) => this.forget(userId));
    announcements.open().catch(() => {}); // until it is open, look-ups tell
    const timer = setInterval(() => this.renewWatched(), RENEWED_AFTER_MS / 2);
    timer.unref();
    this.stopFollowing = () => {
      clearInterval(timer);
      unfollow();
    };
  }

  /** Before the database closes. */
  async stop(): Promise<void> {
    this.stopFollowing();
    clearTimeout(this.gathering);
    await this.uses.stop();
  }

  /**
   * Null for every kind of invalid token. A promise only if the database has to be asked; it rejects with a refusal if
   * that fails.
   */
  identify(authorization: unknown): Caller | null | Promise<Caller | null> {
    const text = this.textIn(authorization);
    const found = text === undefined ? null : this.find(text);
    return found instanceof Promise ? found.then((caller) => this.noteUse(caller)) : this.noteUse(found);
  }

  /** Whoever may come in, or a refusal. A promise only if the database has to be asked. */
  require(authorization: unknown, access: Access): Caller | Promise<Caller> {
    const admit = (caller: Caller | null) => {
      if (caller === null)
        throw unauthenticated(
          undefined,
          tokenIn(authorization) === undefined ? 'TOKEN_MISSING' : 'TOKEN_INVALID',
        );
      assertMay(caller.scopes, access);
      return caller;
    };
    const found = this.identify(authorization);
    return found instanceof Promise ? found.then(admit) : admit(found);
  }

  /** Null for a token that is not good. A promise only if the database has to be asked. */
  find(text: string): Caller | null | Promise<Caller | null> {
    const token = this.tokenIn(text);
    if (!token || this.isOver(token)) return null;
    const age = performance.now() - token.goodAt;
    if (age >= BELIEVED_MS) return this.ask(token).then((isGood) => (isGood ? this.callerIn(token) : null));
    if (age >= RENEWED_AFTER_MS) this.renewSoon(token);
    return this.callerIn(token);
  }

  /**
   * The user whose token this is, told without asking the database, whether it has been taken back or not; undefined
   * for one that is not known to be ours. So nobody can act in the name of another user.
   */
  userOf(authorization: unknown): string | undefined {
    const text = this.textIn(authorization);
    return text === undefined ? undefined : this.tokenIn(text)?.caller?.userId;
  }

  /** Calls `end` when the token is taken back. Returns a function that cancels it. */
  watch(caller: Caller, end: () => void): () => void {
    const token = this.tokenOf.get(caller);
    if (!token) throw new Error('Only who was found can be watched');
    token.ends.add(end);
    this.watched.add(token);
    if (performance.now() - token.goodAt >= RENEWED_AFTER_MS) this.renew(token);
    return () => {
      token.ends.delete(end);
      if (token.ends.size === 0) this.watched.delete(token);
    };
  }

  /** Call it once something of the user's is taken back, and before that is answered. */
  forget(userId: string): void {
    if (this.isAsking) this.forgottenAt.set(userId, performance.now());
    for (const token of [...this.known.values(), ...this.watched]) {
      if (token.caller?.userId !== userId) continue;
      token.goodAt = Number.NEGATIVE_INFINITY;
      if (token.ends.size > 0) this.renew(token);
    }
  }

  private textIn(authorization: unknown): string | undefined {
    if (typeof authorization !== 'string') return undefined;
    if (authorization !== this.last.authorization)
      this.last = { authorization, text: tokenIn(authorization) };
    return this.last.text;
  }

  private noteUse(caller: Caller | null): Caller | null {
    if (caller?.scopes) this.uses.note(caller);
    return caller;
  }

  /** Signed text is remembered at once, a made-up API token never. */
  private tokenIn(text: string): Token | undefined {
    const known = this.known.get(text);
    if (known) return known;
    if (isApiToken({ text })) return looksLikeApiToken(text) ? new Token(text) : undefined;
    const caller = this.tokens.callerOf(text);
    if (!caller) return undefined;
    const token = new Token(Buffer.from(text).toString(), caller); // a copy: V8 would keep the whole header for its sake
    this.tokenOf.set(caller, token);
    this.remember(token);
    return token;
  }

  private isOver({ caller }: Token): boolean {
    const end = caller?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return end <= this.clock.now().getTime();
  }

  private callerIn(token: Token): Caller | null {
    return this.isOver(token) ? null : (token.caller ?? null);
  }

  private remember(token: Token): void {
    this.known.delete(token.text);
    this.known.set(token.text, token);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  private renewWatched(): void {
    const now = performance.now();
    for (const token of this.watched) if (now - token.goodAt >= RENEWED_AFTER_MS) this.renew(token);
  }

  /** A failure is made up for by the next look-up. */
  private renew(token: Token): void {
    this.ask(token).catch(() => {});
  }

  private renewSoon(token: Token): void {
    if (token.asking) return;
    this.oneByOne(token).catch(() => {});
    const askAll = () => {
      this.gathering = undefined;
      void this.askAll();
    };
    this.gathering ??= inBackground(() => setTimeout(askAll, GATHERED_MS).unref());
  }

  private ask(token: Token): Promise<boolean> {
    const answer = this.oneByOne(token);
    void inBackground(() => this.askAll());
    return answer;
  }

  private oneByOne(token: Token): Promise<boolean> {
    token.asking ??= new Promise<boolean>((answer, fail) => {
      this.asked.push({ token, answer, fail });
    }).finally(() => {
      token.asking = undefined;
    });
    return token.asking;
  }

  private async askAll(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.asked.length > 0) {
      await setImmediate(); // all that ask in the same turn are looked up together
      const some = this.asked.splice(0, TOKENS_PER_STATEMENT);
      await this.lookUp(some).catch(() => {
        for (const { fail } of some) fail(unavailable('NOT_APPLIED'));
      });
    }
    this.forgottenAt.clear();
    this.isAsking = false;
  }

  private async lookUp(some: readonly Asked[]): Promise<void> {
    const startedAt = performance.now();
    const good = await asRequest(this.databaseTime, () => this.goodOf(some.map(({ token }) => token)));
    for (const each of some) {
      const { token, answer } = each;
      const isGood = good.has(token);
      const forgottenAt = this.forgottenAt.get(token.caller?.userId ?? '') ?? Number.NEGATIVE_INFINITY;
      if (isGood && forgottenAt >= startedAt) {
        this.asked.push(each); // it may have been taken back after it was read
        continue;
      }
      if (isGood) token.goodAt = startedAt;
      if (isGood) this.remember(token);
      else this.end(token);
      answer(isGood);
    }
  }

  private end(token: Token): void {
    token.goodAt = Number.NEGATIVE_INFINITY;
    this.known.delete(token.text);
    this.watched.delete(token);
    for (const end of token.ends) end();
    token.ends.clear();
  }

  private async goodOf(all: readonly Token[]): Promise<Set<Token>> {
    const { api = [], session = [] } = Object.groupBy(all, (token) =>
      isApiToken(token) ? 'api' : 'session',
    );
    return new Set((await Promise.all([this.standingOf(session), this.foundOf(api)])).flat());
  }

  private async standingOf(all: readonly Token[]): Promise<Token[]> {
    const callers = all.flatMap(({ caller }) => caller ?? []);
    if (callers.length === 0) return [];
    const rows = await this.database.run(sessions.standing, {
      userIds: callers.map(({ userId }) => userId),
      ids: callers.map(({ tokenId }) => tokenId),
      generations: callers.map(({ generation }) => generation),
    });
    return rows.flatMap(({ place }) => all[place - 1] ?? []);
  }

  private async foundOf(all: readonly Token[]): Promise<Token[]> {
    if (all.length === 0) return [];
    const hashes = all.map(({ text }) => digestOf(text));
    const rows = await this.database.run(apiTokens.byHashes, { hashes: [...new Set(hashes)] });
    const byHash = new Map(rows.map((row) => [row.hash, row as FoundToken]));
    return all.filter((token, index) => {
      const row = byHash.get(hashes[index] ?? '');
      if (!row) return false;
      token.caller ??= callerOf(row);
      this.tokenOf.set(token.caller, token);
      return true;
    });
  }
}

const callerOf = ({ id, userId, expiresAt, scopes }: FoundToken): Caller => ({
  userId,
  expiresAt,
  tokenId: id,
  generation: OF_NO_GENERATION,
  scopes: scopes.split(' ') as ApiScope[],
});
