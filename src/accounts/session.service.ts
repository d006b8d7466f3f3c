import type { AccountService, SignedIn } from './account.service.js';
import type { Revocations } from './revocations.js';
import type { Tokens } from './tokens.js';

/** Ends sessions. */
export class SessionService {
  constructor(
    private readonly accounts: AccountService,
    private readonly tokens: Tokens,
    private readonly revocations: Revocations,
  ) {}

  /** Ends this token, and no other. Returns when. */
  signOut(userId: string, tokenId: string): Promise<Date> {
    return this.revocations.end({ userId, tokenId });
  }

  /** Ends every token that was issued until now, and begins a new session. API tokens stay. */
  async signOutEverywhere(userId: string): Promise<SignedIn> {
    const user = await this.accounts.get(userId); // before: if it failed afterwards, what was done would be answered as an error
    return { ...this.tokens.issue(userId, await this.revocations.endAll(userId)), user };
  }
}
