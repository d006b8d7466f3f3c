import { unauthenticated } from '../errors.js';
import { asRequest } from '../request.js';
import { type Access, type ApiScope, assertMay, type Caller } from '../scopes.js';
import type { FoundToken } from './api-token.queries.js';
import type { ApiTokens } from './api-tokens.js';
import type { Revocations } from './revocations.js';
import type { Tokens } from './tokens.js';

const API_TOKEN = /^Bearer +(steady_\S*)$/i;

const apiTokenIn = (authorization: unknown) =>
  typeof authorization === 'string' ? API_TOKEN.exec(authorization)?.[1] : undefined;

/** Decides who a request is from. */
export class Callers {
  constructor(
    private readonly tokens: Tokens,
    private readonly apiTokens: ApiTokens,
    private readonly revocations: Revocations,
    /** In milliseconds: how long a look-up may take. */
    private readonly databaseTime: number,
  ) {}

  /**
   * Null for every kind of invalid token. A promise only if the database has to be asked; it rejects with a refusal if
   * that fails. A WebSocket sends the same text in its connection parameters.
   */
  identify(authorization: unknown): Caller | null | Promise<Caller | null> {
    const apiToken = apiTokenIn(authorization);
    if (apiToken === undefined) return this.admit(this.tokens.identify(authorization));
    const found = this.apiTokens.find(apiToken);
    return found instanceof Promise ? found.then((each) => this.holder(each)) : this.holder(found);
  }

  /**
   * The user whose token this is, told without asking the database, whether it has been taken back or not; undefined
   * for one that is not known to be ours. So nobody can act in the name of another user.
   */
  userOf(authorization: unknown): string | undefined {
    const apiToken = apiTokenIn(authorization);
    if (apiToken !== undefined) return this.apiTokens.knownUserOf(apiToken);
    return this.tokens.identify(authorization)?.userId;
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
    return this.revocations.watch(caller, end);
  }

  private holder(found: FoundToken | null): Caller | null | Promise<Caller | null> {
    const caller = this.admit(found && callerOf(found));
    if (caller instanceof Promise) return caller.then((each) => this.noteUse(each));
    return this.noteUse(caller);
  }

  private noteUse(caller: Caller | null): Caller | null {
    if (caller) this.apiTokens.noteUse(caller);
    return caller;
  }

  /** Asked after the look-up of an API token: what was announced during it counts. */
  private admit(caller: Caller | null): Caller | null | Promise<Caller | null> {
    if (!caller || this.revocations.isRevoked(caller)) return null;
    return this.revocations.isFresh ? caller : this.lookUp(caller);
  }

  /** Before the database closes. */
  stop(): Promise<void> {
    return this.apiTokens.stop();
  }

  private lookUp(caller: Caller): Promise<Caller | null> {
    return asRequest(
      this.databaseTime,
      async () => {
        const isGood = await this.revocations.isGood(caller);
        return isGood && !this.revocations.isRevoked(caller) ? caller : null;
      },
      caller.userId,
    );
  }
}

/** Later than any generation: signing out everywhere leaves API tokens alone. */
const OF_NO_GENERATION = Number.POSITIVE_INFINITY;

const callerOf = ({ id, userId, expiresAt, scopes }: FoundToken): Caller => ({
  userId,
  expiresAt,
  tokenId: id,
  generation: OF_NO_GENERATION,
  scopes: scopes.split(' ') as ApiScope[],
});
