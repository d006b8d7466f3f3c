import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
import { inTime } from '../database/in-time.js';
import type { Columns } from '../database/tables.js';
import { throttled } from '../errors.js';
import type { LoginAttempt } from './attempt.entity.js';

type AttemptTables = { login_attempts: Columns<LoginAttempt> };

export interface LoginLimitSettings {
  loginAttemptsPerAccount: number;
  loginAttemptsPerAddress: number;
  /** In seconds: how long attempts are counted together. */
  loginWindow: number;
}

/** Attempts and seconds, whichever comes first, after which a process sweeps old counts out. */
const SWEEP_AFTER = { attempts: 500, seconds: 60 };

/** Rows of one sweep: few enough that nobody waits for it, more than the attempts in between can add. */
const SWEPT_AT_ONCE = 10_000;

/** Some twenty megabytes. Beyond that the oldest counts are forgotten before their time is over. */
export const MOST_COUNTS = 100_000;

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('base64url');

/** Whoever has an IPv6 address has all of its /64, and could come from another one each time. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, ''); // IPv4, as a socket for both shows it
  if (!isIPv6(plain)) return plain;
  const { hostname } = new URL(`http://[${plain.replace(/%.*/, '')}]`); // in its one spelling
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** `Since` is when a count began, as the statement found it. */
interface Verdict {
  isAddressFine: boolean;
  isAccountFine: boolean;
  addressSince: Date | null;
  accountSince: Date | null;
}

/**
 * Limits failed log-ins, for all processes together. An account is counted per address, so that whoever
 * guesses at it cannot lock its owner out elsewhere; an address is counted over all accounts, which bounds
 * how many counts it can leave behind.
 */
export class LoginLimit {
  private attempts = 0;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: LoginLimitSettings,
  ) {}

  /** Counts an attempt before it costs a hash: those made at once are all counted. */
  async count(email: string, address: string): Promise<void> {
    const now = this.clock.now();
    const expired = new Date(now.getTime() - this.settings.loginWindow * 1_000);
    const verdict = await this.attempt(this.keys(email, address), now, expired);
    if (!verdict.isAddressFine) throw throttled(this.secondsLeft(now, verdict.addressSince));
    await this.sweepInTurn(now, expired);
    if (!verdict.isAccountFine) throw throttled(this.secondsLeft(now, verdict.accountSince));
  }

  /** It was no failure, and whoever knows the password may have mistyped it before. */
  async forgive(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, sql`delete from login_attempts where key = ${ofAccount} and ${inTime}`);
  }

  /** Nobody found out whether it was a failure. */
  async takeBack(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, oneLess(ofAccount));
  }

  /**
   * What is refused writes nothing: neither for the account once the address has had enough, nor for itself.
   * The address comes first, here as below, so that two statements cannot wait for each other.
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
    if (!rows[0]) throw new Error('Nobody said whether a log-in may be tried');
    return rows[0];
  }

  /** A count that began after the statement did, or began anew, has all its time before it. */
  private secondsLeft(now: Date, since: Date | null): number {
    const { loginWindow } = this.settings;
    const left = since ? loginWindow - (now.getTime() - since.getTime()) / 1_000 : loginWindow;
    return left > 0 ? Math.ceil(left) : loginWindow;
  }

  private async uncount(ofAddress: string, ofAccount: RawBuilder<unknown>): Promise<void> {
    const query = this.database.query<AttemptTables>();
    await sql`with account as (${ofAccount}) ${oneLess(ofAddress)}`.execute(query);
  }

  private keys(email: string, address: string): Keys {
    const network = networkOf(address);
    return [digest('address', network), digest('account', email, network)];
  }

  /** Should it fail, the next one makes up for it. */
  private async sweepInTurn(now: Date, expired: Date): Promise<void> {
    this.attempts += 1;
    const seconds = (now.getTime() - this.sweptAt) / 1_000;
    if (this.attempts < SWEEP_AFTER.attempts && seconds < SWEEP_AFTER.seconds) return;
    this.attempts = 0;
    this.sweptAt = now.getTime();
    await this.sweep(expired).catch(() => {});
  }

  /** Waits for nobody: what is being counted again is not old any more. */
  private async sweep(expired: Date): Promise<void> {
    await sql`
      delete from login_attempts where key = any(array(
        select key from login_attempts
        where started_at <= greatest(${expired}::timestamptz, (
          select started_at from login_attempts order by started_at desc offset ${MOST_COUNTS} limit 1
        ))
        order by started_at limit ${SWEPT_AT_ONCE}
        for update skip locked
      ))
    `.execute(this.database.query<AttemptTables>());
  }
}

type Keys = [ofAddress: string, ofAccount: string];

/** A count of nothing is as good as one whose time is over. */
const oneLess = (key: string) => sql`
  update login_attempts set
    count = count - 1,
    started_at = case when count = 1 then 'epoch' else started_at end
  where key = ${key} and count > 0 and ${inTime}`;
