import { sql } from 'kysely';
import type { Taken } from '../../jobs/jobs.queries.js';
import { dropJob } from '../../jobs/jobs.queries.js';
import { type Base, type Hold, type Outcome, Runner } from '../../jobs/runner.js';
import { isLetIn } from '../account/account.queries.js';
import type { FeedEvent } from '../event-feed/feed.entity.js';
import { ringsAtAll } from '../reminders/message.queries.js';
import type { Called, Caller } from './call.js';
import { webhookLimits } from './limits.js';
import { messageOf } from './message.js';
import { topics } from './topics.js';
import {
  type After,
  type Callee,
  lockFeed,
  NEVER_TAKEN,
  nextFor,
  noteTry,
  passUnwanted,
  WEBHOOK,
  type WebhookTables,
} from './webhook.queries.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After so many failures, how long until the next try. The last one holds from then on. */
const PAUSES_MS = [5_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS];
const LONGEST_MS = 12 * HOUR_MS;

const GONE = 410;

const TRIES_OF_THOSE = 3;

/** Events that one taking sends before others of its host have their turn. */
const AT_A_TIME = 50;

/** So long one taking goes on, for the same reason. */
const MOST_MS = 5_000;

/** It is done, and no older event of it waits. */
const LASTS_MS = 10 * 365 * 24 * HOUR_MS;

/** After so long at the most, what a process has died at goes on. */
const LEASE_MS = 20_000;
const LOOK_MS = 3_000;

/** Is told that a webhook was paused, in the transaction that does it. */
export type Paused = (query: Parameters<typeof noteTry>[0], userId: string) => Promise<void>;

/** Sends events, each webhook's in order and those of one host in a lane: a receiver that hangs delays nobody else. */
export class WebhookJob {
  readonly runner: Runner<object>;

  constructor(
    private readonly base: Base,
    private readonly caller: Caller,
    private readonly paused: Paused,
  ) {
    this.runner = new Runner<object>(
      {
        ...{ kind: WEBHOOK, failure: 'Events could not be sent to a webhook' },
        limits: { atOnce: 256, ofLane: 64, ofUser: 4, ofUserInAll: webhookLimits.webhooks, together: 16 },
        leaseMs: LEASE_MS,
        backOff: { firstMs: 5_000, factor: 1, longestMs: 5_000 }, // of faults of ours; a try says itself when
        ...{ lastsMs: LASTS_MS, lookMs: LOOK_MS, alwaysLooks: true },
        mayRun: ringsAtAll,
        isReady: () => isLetIn(sql.ref('jobs.user_id')), // what waits goes on when the account does
        carryOut: (job, hold) => this.sendAll(job, hold),
      },
      base,
    );
  }

  private async sendAll(job: Taken<object>, { giveUp }: Hold<object>): Promise<Outcome<object>> {
    const webhook = { userId: job.userId ?? '', id: job.key };
    const until = performance.now() + MOST_MS;
    for (let sent = 0; sent < AT_A_TIME && performance.now() < until && !giveUp.aborted; ) {
      const next = await this.base.database.asEvent(webhook.userId, () => nextFor(this.query(), webhook));
      if (!next || next.callee.state === 'PAUSED') return { is: 'DONE' };
      const { callee, event, refusals } = next;
      if (!event) {
        if (await this.isOver(job, callee)) return { is: 'DONE' };
        continue;
      }
      const againMs = await this.send(callee, event, refusals);
      if (againMs === 'PAUSED') return { is: 'DONE' };
      if (againMs !== undefined) return { is: 'AGAIN', afterMs: againMs };
      sent += 1;
    }
    return { is: 'UNTRIED' };
  }

  /** Under the lock of the feed: what is told before is found, and what is told later leaves another job. */
  private isOver(job: Taken<object>, callee: Callee): Promise<boolean> {
    return this.base.database.transaction(async (tx) => {
      const query = tx.getKysely<WebhookTables>();
      const last = await lockFeed(query, callee.userId);
      if ((await nextFor(query, callee))?.event) return false;
      await passUnwanted(query, callee, last);
      await dropJob(query, job);
      return true;
    });
  }

  /** Returns in how many milliseconds it is tried again; undefined if the next event follows. */
  private async send(
    callee: Callee,
    event: FeedEvent,
    refusals: number,
  ): Promise<number | 'PAUSED' | undefined> {
    const now = this.base.clock.now();
    const called = await this.caller.call(callee, messageOf(event), now);
    const at = this.base.clock.now();
    const attempt = callee.attempts + 1;
    const after = this.afterOf(callee, { ...event, refusals }, called, at);
    const { status, error, cause = `status ${status}` } = called;
    topics.webhooks.publish(error === null ? 'sent' : 'failed');
    if (error !== null)
      this.base.log.warn(
        { webhook: callee.id, reason: cause, tries: attempt, state: after.state },
        'A webhook has not taken an event',
      );
    const tried = { number: event.number, at, attempt, status, error };
    const isNoted = await this.base.database.transaction(async (tx) => {
      const query = tx.getKysely<WebhookTables>();
      const counts = await noteTry(query, callee, tried, after);
      if (counts && after.state === 'PAUSED') await this.paused(query, callee.userId);
      return counts;
    });
    if (!isNoted) return undefined; // what another process has made of it counts
    if (after.state === 'PAUSED') return 'PAUSED';
    if (after.lastNumber === event.number) return undefined;
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length) - 1] ?? LONGEST_MS;
    return Math.min(Math.max(pause, called.retryAfterMs), LONGEST_MS);
  }

  private afterOf(
    callee: Callee,
    { number, refusals }: Pick<FeedEvent, 'number'> & { refusals: number },
    { status, error }: Called,
    at: Date,
  ): After {
    const isTaken = error === null;
    if (isTaken) return { state: 'ACTIVE', lastNumber: number, attempts: 0, failingSince: null, isTaken };
    const failingSince = callee.failingSince ?? at;
    const isTooLong = at.getTime() - failingSince.getTime() >= webhookLimits.failingDays * 24 * HOUR_MS;
    const isPaused = status === GONE || isTooLong;
    const attempts = callee.attempts + 1;
    const isPassedOver = NEVER_TAKEN.includes(status ?? 0) && refusals + 1 >= TRIES_OF_THOSE;
    return {
      ...{ state: isPaused ? 'PAUSED' : 'FAILING', failingSince, isTaken },
      ...(isPassedOver && !isPaused
        ? { lastNumber: number, attempts: 0 }
        : { lastNumber: number - 1, attempts }),
    };
  }

  private query() {
    return this.base.database.query<WebhookTables>();
  }
}
