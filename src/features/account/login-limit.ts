import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import { type Refusal, throttled } from '../../base/errors.js';
import { networkOf } from '../../base/request.js';
import type { Database } from '../../database/database.js';
import { inTime } from '../../database/outcome.js';
import { AttemptCounts, type AttemptTables, keyOf, LOGIN_WINDOW } from './attempt-counts.js';
import { topics } from './topics.js';

export interface LoginLimitSettings {
  loginAttemptsPerAccount: number;
  loginAttemptsPerAddress: number;
}

/**
 * Limits failed log-ins across all processes. Failures on an account are counted per address, so that an attacker
 * cannot lock out the owner, who comes from another address. Failures from an address are counted over all accounts,
 * which also bounds the number of rows that one address can create.
 */
export class LoginLimit {
  private readonly counts: AttemptCounts;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: LoginLimitSettings,
  ) {
    this.counts = new AttemptCounts(database, clock);
  }

  /** Counts the attempt before the password is hashed, so that simultaneous attempts are all counted. */
  async count(email: string, address: string): Promise<void> {
    const now = this.clock.now();
    const [ofAddress, ofAccount] = this.keys(email, address);
    const { loginAttemptsPerAddress, loginAttemptsPerAccount } = this.settings;
    const verdict = await this.counts.count({
      ofAddress,
      ofAccount,
      mostOfAddress: loginAttemptsPerAddress,
      mostOfAccount: loginAttemptsPerAccount,
      window: LOGIN_WINDOW,
    });
    if (!verdict.isAddressFine) throw this.refusal('address', this.secondsLeft(now, verdict.addressSince));
    await this.counts.sweepInTurn();
    if (!verdict.isAccountFine) throw this.refusal('account', this.secondsLeft(now, verdict.accountSince));
  }

  /**
   * The log-in succeeded: takes back its own attempt, and clears the account's count, since earlier failures were
   * probably typing errors.
   */
  async forgive(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, sql`delete from login_attempts where key = ${ofAccount} and ${inTime}`);
  }

  /** The outcome of the attempt is unknown, because the check itself failed: it does not count. */
  async takeBack(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, decrement(ofAccount));
  }

  private refusal(limit: 'account' | 'address', seconds: number): Refusal {
    topics.logInsRefused.publish(limit);
    return throttled(seconds);
  }

  /** A count that was reset, or that began after the statement, has its whole window left. */
  private secondsLeft(now: Date, since: Date | null): number {
    const left = since ? LOGIN_WINDOW - (now.getTime() - since.getTime()) / 1_000 : LOGIN_WINDOW;
    return left > 0 ? Math.ceil(left) : LOGIN_WINDOW;
  }

  private async uncount(ofAddress: string, ofAccount: RawBuilder<unknown>): Promise<void> {
    const query = this.database.query<AttemptTables>();
    await sql`with account as (${ofAccount}) ${decrement(ofAddress)}`.execute(query);
  }

  private keys(email: string, address: string): Keys {
    const network = networkOf(address);
    return [keyOf('address', network), keyOf('account', email, network)];
  }
}

type Keys = [ofAddress: string, ofAccount: string];

/** A count that drops to 0 is made to look expired, so that the next sweep deletes it. */
const decrement = (key: string) => sql`
  update login_attempts set
    count = count - 1,
    started_at = case when count = 1 then 'epoch' else started_at end
  where key = ${key} and count > 0 and ${inTime}`;
