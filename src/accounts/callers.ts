import { asRequest, type Caller } from '../request.js';
import type { Revocations } from './revocations.js';
import type { Tokens } from './tokens.js';

/** Decides at the door who a request is from. */
export class Callers {
  constructor(
    private readonly tokens: Tokens,
    private readonly revocations: Revocations,
    /** In milliseconds: how long a look-up may take. */
    private readonly databaseTime: number,
  ) {}

  /**
   * Null for every kind of invalid token. A promise only if the database has to be asked; it rejects with a refusal if
   * that fails. A WebSocket sends the same text in its connection parameters.
   */
  identify(authorization: unknown): Caller | null | Promise<Caller | null> {
    const caller = this.tokens.identify(authorization);
    if (!caller || this.revocations.isRevoked(caller)) return null;
    return this.revocations.isFresh ? caller : this.lookUp(caller);
  }

  /** Calls `end` when the caller's token is taken back. Returns a function that cancels it. */
  watch(caller: Caller, end: () => void): () => void {
    return this.revocations.watch(caller, end);
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
