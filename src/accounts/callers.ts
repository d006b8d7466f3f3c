import { unauthenticated } from '../errors.js';
import { type Access, assertMay, type Caller } from '../scopes.js';
import type { ApiTokenUses } from './api-token-uses.js';
import type { KnownTokens } from './known-tokens.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Decides who a request is from. A WebSocket sends the same text in its connection parameters. */
export class Callers {
  /** A request is asked twice: in whose name it waits, and then who it is from. */
  private last: { authorization: unknown; token: string | undefined } = {
    authorization: '',
    token: undefined,
  };

  constructor(
    private readonly known: KnownTokens,
    private readonly uses: ApiTokenUses,
  ) {}

  /**
   * Null for every kind of invalid token. A promise only if the database has to be asked; it rejects with a refusal if
   * that fails.
   */
  identify(authorization: unknown): Caller | null | Promise<Caller | null> {
    const token = this.tokenIn(authorization);
    const found = token === undefined ? null : this.known.find(token);
    return found instanceof Promise ? found.then((caller) => this.noteUse(caller)) : this.noteUse(found);
  }

  /**
   * The user whose token this is, told without asking the database, whether it has been taken back or not; undefined
   * for one that is not known to be ours. So nobody can act in the name of another user.
   */
  userOf(authorization: unknown): string | undefined {
    const token = this.tokenIn(authorization);
    return token === undefined ? undefined : this.known.userOf(token);
  }

  /** Whoever may come in, or a refusal. */
  async require(authorization: unknown, access: Access): Promise<Caller> {
    const caller = await this.identify(authorization);
    if (caller === null)
      throw unauthenticated(undefined, authorization === undefined ? 'TOKEN_MISSING' : 'TOKEN_INVALID');
    assertMay(caller.scopes, access);
    return caller;
  }

  /** Calls `end` when the caller's token is taken back. Returns a function that cancels it. */
  watch(caller: Caller, end: () => void): () => void {
    return this.known.watch(caller, end);
  }

  /** Hears from now on what other processes take back. */
  begin(): void {
    this.known.begin();
  }

  /** Before the database closes. */
  async stop(): Promise<void> {
    this.known.stop();
    await this.uses.stop();
  }

  private tokenIn(authorization: unknown): string | undefined {
    if (typeof authorization !== 'string') return undefined;
    if (authorization !== this.last.authorization)
      this.last = { authorization, token: BEARER.exec(authorization)?.[1] };
    return this.last.token;
  }

  private noteUse(caller: Caller | null): Caller | null {
    if (caller?.scopes) this.uses.note(caller);
    return caller;
  }
}
