import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../clock.js';
import type { Database } from '../database/database.js';
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

/** Old counts are swept out once in so many attempts that a process sees. */
const SWEEP_EVERY = 500;

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('base64url');

/** As the database folds e-mails: letters of ASCII alone. */
const folded = (email: string) => email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

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

/**
 * Limits failed log-ins, for all processes together. An account is counted per address, so that whoever
 * guesses at it cannot lock its owner out elsewhere; an address is counted over all accounts.
 */
export class LoginLimit {
  private attempts = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly settings: LoginLimitSettings,
  ) {}

  /** Counts an attempt before it costs a hash: those made at once are all counted. */
  async count(email: string, address: string): Promise<void> {
    const now = this.clock.now();
    const expired = new Date(now.getTime() - this.settings.loginWindow * 1_000);
    const [ofAddress, ofAccount] = this.keys(email, address);
    // Always in this order, so that two statements cannot wait for each other.
    const { rows } = await sql<LoginAttempt>`
      insert into login_attempts as attempt (key, count, started_at)
      values (${ofAddress}, 1, ${now}::timestamptz), (${ofAccount}, 1, ${now}::timestamptz)
      on conflict (key) do update set
        count = case when attempt.started_at <= ${expired} then 1 else attempt.count + 1 end,
        started_at = case when attempt.started_at <= ${expired} then excluded.started_at else attempt.started_at end
      returning key, count, started_at as "startedAt"
    `.execute(this.database.query<AttemptTables>());

    this.attempts += 1;
    if (this.attempts % SWEEP_EVERY === 0) await this.sweep(expired);

    const { loginAttemptsPerAccount, loginAttemptsPerAddress, loginWindow } = this.settings;
    for (const { key, count, startedAt } of rows) {
      const maximum = key === ofAddress ? loginAttemptsPerAddress : loginAttemptsPerAccount;
      const elapsed = (now.getTime() - startedAt.getTime()) / 1_000;
      if (count > maximum) throw throttled(Math.max(1, Math.ceil(loginWindow - elapsed)));
    }
  }

  /** It was no failure, and whoever knows the password may have mistyped it before. */
  async forgive(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, sql`delete from login_attempts where key = ${ofAccount}`);
  }

  /** Nobody found out whether it was a failure. */
  async takeBack(email: string, address: string): Promise<void> {
    const [ofAddress, ofAccount] = this.keys(email, address);
    await this.uncount(ofAddress, oneLess(ofAccount));
  }

  private async uncount(ofAddress: string, ofAccount: RawBuilder<unknown>): Promise<void> {
    const query = this.database.query<AttemptTables>();
    await sql`with account as (${ofAccount}) ${oneLess(ofAddress)}`.execute(query);
  }

  private keys(email: string, address: string): [ofAddress: string, ofAccount: string] {
    const network = networkOf(address);
    return [digest('address', network), digest('account', folded(email), network)];
  }

  private async sweep(expired: Date): Promise<void> {
    const query = this.database.query<AttemptTables>();
    await query.deleteFrom('login_attempts').where('started_at', '<=', expired).execute();
  }
}

const oneLess = (key: string) =>
  sql`update login_attempts set count = count - 1 where key = ${key} and count > 0`;
