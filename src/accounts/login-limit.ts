import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { inTime } from '../database/outcome.js';
import type { Columns } from '../database/tables.js';
import { type Refusal, throttled } from '../errors.js';
import { networkOf } from '../request.js';
import { topics } from '../telemetry/topics.js';
import type { LoginAttempt } from './attempt.entity.js';

type AttemptTables = { login_attempts: Columns<LoginAttempt> };

export interface LoginLimitSettings {
  loginAttemptsPerAccount: number;
  loginAttemptsPerAddress: number;
  /** In seconds: the window of time in which attempts are counted together. */
  loginWindow: number;
}

/** A process sweeps expired counts after this many attempts or seconds, whichever comes first. */
const SWEEP_AFTER = { attempts: 500, seconds: 60 };

/** Rows deleted per sweep: few enough to keep no log-in waiting, and more than can be added between two sweeps. */
const ROWS_PER_SWEEP = 10_000;

/** About twenty megabytes. Beyond this, the oldest counts are deleted before they expire. */
export const MAX_COUNTS = 100_000;

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('base64url');

/** `addressSince` and `accountSince` tell when the window of a count began, as the statement found it. */
interface Verdict {
  isAddressFine: boolean;
  isAccountFine: boolean;
  addressSince: Date | null;
  accountSince: Date | null;
}

/**
 * Limits failed log-ins across all processes. Failures on an account are counted per address, so that an attacker
 * cannot lock out the owner, who comes from another address. Failures from an address are counted over all accounts,
 * which also bounds the number of rows that one address can create.
 */
export class LoginLimit {
  private attempts = 0;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: LoginLimitSettings,
  ) {}

  /** Counts the attempt before the password is hashed, so that simultaneous attempts are all counted. */
  async count(email: string, address: string): Promise<void> {
    const now = this.clock.now();
    const expired = new Date(now.getTime() - this.settings.loginWindow * 1_000);
    const verdict = await this.attempt(this.keys(email, address), now, expired);
    if (!verdict.isAddressFine) throw this.refusal('address', this.secondsLeft(now, verdict.addressSince));
    await this.sweepInTurn(now, expired);
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

  /**
   * A refused attempt writes nothing: a blocked address adds no row for the account either. The address is always
   * locked before the account, so that two statements cannot deadlock.
   */
  private async attempt([ofAddress, ofAccount]: Keys, now: Date, expired: Date): Promise<Verdict> {
    const { loginAttemptsPerAddress, loginAttemptsPerAccount } = this.settings;
    const upTo = (maximum: number) => sql`
      on conflict (key) do update set
        count = case when attempt.started_at <= ${expired} then 1 else attempt.count + 1 end,
        started_at = case when attempt.started_at <= ${expired} then excluded.started_at else attempt.started_at end
      where attempt.started_at <= ${expired} or attempt.count < ${maximum}
      returning key`;
    const { rows } = await sql<Verdict>`
      with address as (
        insert into login_attempts as attempt (key, count, started_at)
        values (${ofAddress}, 1, ${now}::timestamptz) ${upTo(loginAttemptsPerAddress)}
      ), account as (
        insert into login_attempts as attempt (key, count, started_at)
        select ${ofAccount}::text, 1, ${now}::timestamptz from address ${upTo(loginAttemptsPerAccount)}
      )
      select
        exists (select from address) as "isAddressFine",
        exists (select from account) as "isAccountFine",
        (select started_at from login_attempts where key = ${ofAddress}) as "addressSince",
        (select started_at from login_attempts where key = ${ofAccount}) as "accountSince"
    `.execute(this.database.query<AttemptTables>());
    if (!rows[0]) throw new Error('The statement returned no verdict on the log-in');
    return rows[0];
  }

  private refusal(limit: 'account' | 'address', seconds: number): Refusal {
    topics.logInsRefused.tell(limit);
    return throttled(seconds);
  }

  /** A count that was reset, or that began after the statement, has its whole window left. */
  private secondsLeft(now: Date, since: Date | null): number {
    const { loginWindow } = this.settings;
    const left = since ? loginWindow - (now.getTime() - since.getTime()) / 1_000 : loginWindow;
    return left > 0 ? Math.ceil(left) : loginWindow;
  }

  private async uncount(ofAddress: string, ofAccount: RawBuilder<unknown>): Promise<void> {
    const query = this.database.query<AttemptTables>();
    await sql`with account as (${ofAccount}) ${decrement(ofAddress)}`.execute(query);
  }

  private keys(email: string, address: string): Keys {
    const network = networkOf(address);
    return [digest('address', network), digest('account', email, network)];
  }

  /** Ignores errors: the next sweep makes up for this one. */
  private async sweepInTurn(now: Date, expired: Date): Promise<void> {
    this.attempts += 1;
    const seconds = (now.getTime() - this.sweptAt) / 1_000;
    if (this.attempts < SWEEP_AFTER.attempts && seconds < SWEEP_AFTER.seconds) return;
    this.attempts = 0;
    this.sweptAt = now.getTime();
    await this.sweep(expired).catch(() => {});
  }

  /** Skips locked rows: a row that is being updated is no longer expired. */
  private async sweep(expired: Date): Promise<void> {
    await sql`
      delete from login_attempts where key = any(array(
        select key from login_attempts
        where started_at <= greatest(${expired}::timestamptz, (
          select started_at from login_attempts order by started_at desc offset ${MAX_COUNTS} limit 1
        ))
        order by started_at limit ${ROWS_PER_SWEEP}
        for update skip locked
      ))
    `.execute(this.database.query<AttemptTables>());
  }
}

type Keys = [ofAddress: string, ofAccount: string];

/** A count that drops to 0 is made to look expired, so that the next sweep deletes it. */
const decrement = (key: string) => sql`
  update login_attempts set
    count = count - 1,
    started_at = case when count = 1 then 'epoch' else started_at end
  where key = ${key} and count > 0 and ${inTime}`;
