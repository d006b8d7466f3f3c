import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.js';
import { BackOff as Pauses } from '../base/queues/back-off.js';
import { Counts } from '../base/queues/fair-semaphore.js';
import { inBackground } from '../base/request.js';
import type { Database } from '../database/database.js';
import {
  type BackOff,
  claim,
  deleteJob,
  deleteOld,
  dropJob,
  giveBack,
  giveUpOthers,
  keepDone,
  keepNote,
  ownerOf,
  renewLeases,
  type Taken,
  topicOf,
  tryAgain,
} from './jobs.queries.js';

/**
 * What became of a job. KEPT: it is done, and its row stays, so that there is no other with its key. AGAIN: this attempt
 * has failed, and is tried again by the kind's pauses or after `afterMs`. UNTRIED: it does not count. A note is kept
 * with the job. With `restMs`, this process takes no more for so long.
 */
export type Outcome<Payload> =
  | { is: 'DONE' }
  | { is: 'KEPT' }
  | { is: 'AGAIN' | 'UNTRIED'; note?: Partial<Payload>; restMs?: number; afterMs?: number };

/** The job as this process has it. */
export interface Hold<Payload> {
  /** Whether this is the last attempt. */
  isLast: boolean;
  /** When it aborts, the process ends. */
  giveUp: AbortSignal;
  /** Keeps a note with the job before what it is of begins. False if another process has the job now. */
  note(note: Partial<Payload>): Promise<boolean>;
  /** Whatever becomes of this process, no other takes the job any more. False if one has it now. */
  giveUpOthers(): Promise<boolean>;
}

/** What one process does at a time. */
export interface Limits {
  atOnce: number;
  ofLane: number;
  /** Of one user in one lane: so many may hang before those of others have to wait. */
  ofUser: number;
  /** Of one user in all lanes: with so many under way no more are taken, since who may name lanes could fill them all. */
  ofUserInAll?: number;
  /** How many are taken together. A lane with less room counts as busy, so that none exceeds its share. */
  together: number;
  /** Whether a lane is for one process at a time. */
  isAlone?: boolean;
}

/** What is done beside requests. */
export interface Background {
  begin(): void | Promise<void>;
  stop(): Promise<void>;
  /** By which its jobs are counted; undefined where it leaves none. */
  readonly kind?: string;
}

/** What it stands on. */
export interface Base {
  database: Database;
  clock: Clock;
  log: Logger;
}

export interface Kind<Payload> {
  kind: string;
  /** What the log says of a job that throws. */
  failure: string;
  limits: Limits;
  leaseMs: number;
  backOff: BackOff;
  /** In all; without, only its age ends it. */
  attempts?: number;
  /** What is older is given up. */
  lastsMs: number;
  /** How often a process looks for what is to be tried again, and for what others have left. */
  lookMs: number;
  /** Whether it looks although nothing of its own is to be tried again. */
  alwaysLooks?: boolean;
  mayRun?: RawBuilder<unknown>;
  /** Of a row of `jobs`: not now, where it is null or false. */
  isReady?: (now: Date) => RawBuilder<unknown>;
  carryOut: (job: Taken<Payload>, hold: Hold<Payload>) => Promise<Outcome<Payload>>;
  /** Nothing is taken now. Returns for how long not to ask again, where that is known. */
  rests?: (isStopping: boolean) => Promise<number | undefined>;
  /** So many were not done in time. */
  givenUp?: (count: number) => void;
}

/** How long a stop waits for what is under way before it asks to give that up, and how long in all. */
const STOP_MS = { giveUp: 2_000, end: 4_000 };

/** Between attempts to write down what became of a job: until then it must not be taken again. */
const WRITING_PAUSES_MS = { first: 500, last: 5_000 };

const ALWAYS = sql`true`;

/** Carries out the jobs of one kind: many at once, and of one lane and one user no more than leaves room for others. */
export class Runner<Payload extends object> implements Background {
  private readonly underWay = new Map<Taken<Payload>, Promise<void>>();
  private readonly inLanes = new Counts();
  private readonly ofUsers = new Counts();
  private readonly ofUsersInAll = new Counts();
  private readonly givingUp = new AbortController();
  private working: Promise<void> | undefined;
  private isAsked = false;
  private isStopping = false;
  private isBlind = false;
  private wake = () => {};
  private unfollow = () => {};
  private readonly timers: NodeJS.Timeout[] = [];
  /** On the steady clock: until then nothing is taken. */
  private restUntil = 0;
  private resting: NodeJS.Timeout | undefined;
  /** Until then something of this process's waits to be tried again. */
  private triesUntil = new Date(0);
  private tidiedAt = 0;

  constructor(
    private readonly settings: Kind<Payload>,
    private readonly base: Base,
  ) {}

  get kind(): string {
    return this.settings.kind;
  }

  get hasFailed(): boolean {
    return this.base.clock.now() <= this.triesUntil;
  }

  /** From now on this process takes jobs by itself: when they are announced, and when it is time to look. */
  begin(): void {
    const { lookMs, alwaysLooks, leaseMs } = this.settings;
    if (this.timers.length > 0) return;
    this.unfollow = this.base.database.announcements.follow(topicOf(this.kind), () => this.look());
    this.every(lookMs, () => (alwaysLooks || this.hasFailed) && this.look());
    this.every(leaseMs / 3, () => this.renew());
    this.look();
  }

  /** Resolves when nothing is due any more, and all that was done is noted. What is new does not wait for what hangs. */
  async run(): Promise<void> {
    if (this.isStopping) return;
    this.ask();
    this.working ??= inBackground(() => this.work());
    await this.working;
  }

  /** Begins `run` without waiting for it. Logs one line until it works again. */
  look(): void {
    this.run().then(
      () => {
        this.isBlind = false;
      },
      (error: unknown) => {
        if (!this.isBlind)
          this.base.log.error({ err: error, kind: this.kind }, 'Jobs could not be looked for');
        this.isBlind = true;
      },
    );
  }

  /** Looks again and again until then. */
  lookUntil(at: Date): void {
    const until = new Date(at.getTime() + this.settings.lookMs);
    if (until > this.triesUntil) this.triesUntil = until;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    this.unfollow();
    clearTimeout(this.resting);
    for (const timer of this.timers) clearInterval(timer);
    const patience = setTimeout(() => this.givingUp.abort(), STOP_MS.giveUp);
    const late = delay(STOP_MS.end, undefined, { ref: false });
    const over = Promise.all([this.working?.catch(() => {}), ...this.underWay.values()]);
    await Promise.race([over, late]);
    clearTimeout(patience);
    this.givingUp.abort();
  }

  private every(ms: number, act: () => void): void {
    this.timers.push(inBackground(() => setInterval(act, ms).unref()));
  }

  private ask(): void {
    this.isAsked = true;
    this.wake();
  }

  private async work(): Promise<void> {
    try {
      await this.tidy();
      while (this.isAsked || this.inLanes.total > 0) {
        if (!this.isAsked) await this.asked();
        this.isAsked = false;
        const taken = await this.take();
        for (const each of taken) this.begun(each);
        this.isAsked ||= taken.length > 0;
        if (!this.isAsked && this.inLanes.total === 0) await this.rest();
      }
    } finally {
      this.working = undefined;
    }
  }

  private asked(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  /** Not each time that it is woken: what is too old is taken by nobody meanwhile. */
  private async tidy(): Promise<void> {
    const { kind, lastsMs, lookMs, givenUp } = this.settings;
    const now = this.base.clock.now();
    if (Math.abs(now.getTime() - this.tidiedAt) < lookMs) return;
    this.tidiedAt = now.getTime();
    const count = await deleteOld(this.query(), { kind, until: new Date(now.getTime() - lastsMs), now });
    if (count > 0) givenUp?.(count);
  }

  private async take(): Promise<Taken<Payload>[]> {
    const { kind, limits, leaseMs, lastsMs, mayRun = ALWAYS, isReady = () => ALWAYS } = this.settings;
    const { atOnce, ofLane, ofUser, ofUserInAll = Infinity, together, isAlone = false } = limits;
    const most = Math.min(together, atOnce - this.inLanes.total);
    if (this.isStopping || most <= 0 || performance.now() < this.restUntil) return [];
    const now = this.base.clock.now();
    const asked = {
      kind,
      now,
      leaseUntil: new Date(now.getTime() + leaseMs),
      since: new Date(now.getTime() - lastsMs),
      busy: this.inLanes.ownersWith(ofLane - together + 1),
      waiting: this.ofUsers.ownersWith(1),
      waitingInAll: this.ofUsersInAll.ownersWith(ofUserInAll),
      ofUser,
      most,
      mayRun,
      isReady: isReady(now),
      isAlone,
    };
    return isAlone
      ? this.base.database.transaction((tx) => claim<Payload>(tx.getKysely<unknown>(), asked))
      : claim<Payload>(this.query(), asked);
  }

  private begun(job: Taken<Payload>): void {
    const owner = ownerOf(job);
    this.inLanes.add(job.lane, 1);
    this.ofUsers.add(owner, 1);
    if (job.userId) this.ofUsersInAll.add(job.userId, 1);
    const work = this.attempt(job).finally(() => {
      this.underWay.delete(job);
      this.inLanes.add(job.lane, -1);
      this.ofUsers.add(owner, -1);
      if (job.userId) this.ofUsersInAll.add(job.userId, -1);
      this.ask(); // another one of the same lane or user may have waited
    });
    this.underWay.set(job, work);
  }

  private async attempt(job: Taken<Payload>): Promise<void> {
    const { settings, base } = this;
    const isLast = job.attempts >= (settings.attempts ?? Number.POSITIVE_INFINITY);
    const hold: Hold<Payload> = {
      isLast,
      giveUp: this.givingUp.signal,
      note: (note) => keepNote(this.query(), job, { now: base.clock.now(), note }),
      giveUpOthers: () => giveUpOthers(this.query(), job),
    };
    const outcome = await settings.carryOut(job, hold).catch((error: unknown): Outcome<Payload> => {
      base.log.error({ err: error, kind: this.kind, job: job.id }, settings.failure);
      return { is: 'AGAIN' };
    });
    if ('restMs' in outcome) this.restFor(outcome.restMs);
    await this.write(job, outcome.is === 'AGAIN' && isLast ? 'GIVEN UP' : outcome);
  }

  /** What is done and could not be written down would be done again: so this goes on until it is. */
  private async write(job: Taken<Payload>, outcome: Outcome<Payload> | 'GIVEN UP'): Promise<void> {
    const pauses = new Pauses(WRITING_PAUSES_MS);
    for (;;) {
      try {
        return await this.writeOnce(job, outcome);
      } catch (error) {
        const { log } = this.base;
        const about = { err: error, kind: this.kind, job: job.id };
        if (!pauses.hasFailed) log.error(about, 'What became of a job could not be written down yet');
        if (this.givingUp.signal.aborted) return;
        await delay(pauses.next(), undefined, { signal: this.givingUp.signal, ref: false }).catch(() => {});
      }
    }
  }

  private async writeOnce(job: Taken<Payload>, outcome: Outcome<Payload> | 'GIVEN UP'): Promise<void> {
    const now = this.base.clock.now();
    if (outcome === 'GIVEN UP') {
      await dropJob(this.query(), job);
    } else if (outcome.is === 'DONE') {
      await deleteJob(this.query(), job);
    } else if (outcome.is === 'KEPT') {
      await keepDone(this.query(), job);
    } else if (outcome.is === 'UNTRIED') {
      await giveBack(this.query(), job, now, outcome.note ?? {});
    } else {
      const { afterMs, note = {} } = outcome;
      const backOff =
        afterMs === undefined ? this.settings.backOff : { firstMs: afterMs, factor: 1, longestMs: afterMs };
      const runAt = await tryAgain(this.query(), job, { now, backOff, note });
      if (runAt) this.lookUntil(runAt);
    }
  }

  private async rest(): Promise<void> {
    if (performance.now() >= this.restUntil) this.restFor(await this.settings.rests?.(this.isStopping));
  }

  private restFor(ms: number | undefined): void {
    if (ms === undefined) return;
    this.restUntil = performance.now() + ms;
    clearTimeout(this.resting);
    this.resting = inBackground(() => setTimeout(() => this.look(), ms + 1).unref());
  }

  private renew(): void {
    if (this.underWay.size === 0) return;
    const until = new Date(this.base.clock.now().getTime() + this.settings.leaseMs);
    renewLeases(this.query(), [...this.underWay.keys()], until).catch(() => {}); // the next one may do
  }

  private query(): Kysely<unknown> {
    return this.base.database.query<unknown>();
  }
}
