import { createHash } from 'node:crypto';
import { type QueryExecutorProvider, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Columns } from '../../database/columns.js';
import type { Database } from '../../database/database.js';
import type { LoginAttempt } from './attempt.entity.js';

export type AttemptTables = { login_attempts: Columns<LoginAttempt> };

/** In seconds: failed log-ins in so long are counted together. All counts are swept out by it. */
export const LOGIN_WINDOW = 900;

/** A process sweeps expired counts after this many attempts or seconds, whichever comes first. */
const SWEEP_AFTER = { attempts: 500, seconds: 60 };

/** Rows deleted per sweep: few enough to keep no attempt waiting, and more than can be added between two sweeps. */
const ROWS_PER_SWEEP = 10_000;

/** About twenty megabytes. Beyond this, the oldest counts are deleted before they expire. */
export const MAX_COUNTS = 100_000;

export const keyOf = (...parts: string[]) =>
  createHash('sha256').update(parts.join('\0')).digest('base64url');

/** The keys of what is counted, and how often it may happen. */
export interface Counted {
  ofAddress: string;
  ofAccount: string;
  mostOfAddress: number;
  mostOfAccount: number;
  /** In seconds: the window of time in which attempts are counted together. */
  window: number;
}

/** `addressSince` and `accountSince` tell when the window of a count began, as the statement found it. */
export interface Verdict {
  isAddressFine: boolean;
  isAccountFine: boolean;
  addressSince: Date | null;
  accountSince: Date | null;
}

/**
 * A refused attempt writes nothing: a blocked address adds no row for the account either. The address is always
 * locked before the account, so that two statements cannot deadlock.
 */
async function countAttempt(
  query: QueryExecutorProvider,
  { ofAddress, ofAccount, mostOfAddress, mostOfAccount, window }: Counted,
  now: Date,
): Promise<Verdict> {
  const expired = new Date(now.getTime() - window * 1_000);
  const upTo = (maximum: number) => sql`
      on conflict (key) do update set
        count = case when attempt.started_at <= ${expired} then 1 else attempt.count + 1 end,
        started_at = case when attempt.started_at <= ${expired} then excluded.started_at else attempt.started_at end
      where attempt.started_at <= ${expired} or attempt.count < ${maximum}
      returning key`;
  const { rows } = await sql<Verdict>`
      with address as (
        insert into login_attempts as attempt (key, count, started_at)
        values (${ofAddress}, 1, ${now}::timestamptz) ${upTo(mostOfAddress)}
      ), account as (
        insert into login_attempts as attempt (key, count, started_at)
        select ${ofAccount}::text, 1, ${now}::timestamptz from address ${upTo(mostOfAccount)}
      )
      select
        exists (select from address) as "isAddressFine",
        exists (select from account) as "isAccountFine",
        (select started_at from login_attempts where key = ${ofAddress}) as "addressSince",
        (select started_at from login_attempts where key = ${ofAccount}) as "accountSince"
    `.execute(query);
  if (!rows[0]) throw new Error('The statement returned no verdict on the attempt');
  return rows[0];
}

/** Counts attempts across all processes, and deletes counts that have expired, now and then. */
export class AttemptCounts {
  private attempts = 0;
  private sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** A count with a window of its own is dated forwards or backwards, so that the sweep finds it when it expires. */
  count(counted: Counted, query: QueryExecutorProvider = this.database.query()): Promise<Verdict> {
    const dated = this.clock.now().getTime() + (counted.window - LOGIN_WINDOW) * 1_000;
    return countAttempt(query, counted, new Date(dated));
  }

  /** Ignores errors: the next sweep makes up for this one. */
  async sweepInTurn(): Promise<void> {
    const now = this.clock.now();
    this.attempts += 1;
    const seconds = (now.getTime() - this.sweptAt) / 1_000;
    if (this.attempts < SWEEP_AFTER.attempts && seconds < SWEEP_AFTER.seconds) return;
    this.attempts = 0;
    this.sweptAt = now.getTime();
    const expired = new Date(now.getTime() - LOGIN_WINDOW * 1_000);
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
