import { randomUUID } from 'node:crypto';
import schedule from 'node-schedule';
import type { Logger } from 'pino';
import { inBackground } from '../base/request.js';
import { addOccurrence } from './jobs.queries.js';
import { type Background, type Base, Runner } from './runner.js';

export type { Base };

const HOUR_MS = 3_600_000;

/** When it begins, how long that is after the part of an instant, as ISO writes it, that names it. */
const PERIODS = {
  HOUR: { rule: '5 0 * * * *', afterMs: 5_000, named: '2026-11-29T08'.length },
  NIGHT: { rule: '0 0 3 * * *', afterMs: 3 * HOUR_MS, named: '2026-11-29'.length },
};

/** The name of the last one that has begun, of which all processes know the same. */
export const occurrenceAt = (period: keyof typeof PERIODS, now: Date): string => {
  const { afterMs, named } = PERIODS[period];
  return new Date(now.getTime() - afterMs).toISOString().slice(0, named);
};

function scheduled(rule: string, act: () => void): schedule.Job {
  const timer = inBackground(() => schedule.scheduleJob({ rule, tz: 'Etc/UTC' }, act));
  if (!timer) throw new Error(`No schedule: ${rule}`);
  return timer;
}

interface Recurrence {
  kind: string;
  period: keyof typeof PERIODS;
  /** Whether each start does it, although it has been done since. */
  atStart?: boolean;
  /** A rejection is tried again, and so is what a process dies at. */
  work: () => Promise<void>;
  /** What the log says of a rejection. */
  failure: string;
}

/** Done once in each hour or night by one of all processes. What was missed is made up for at the next start. */
export class Recurring implements Background {
  private readonly runner: Runner<object>;
  private timer: schedule.Job | undefined;

  constructor(
    private readonly recurrence: Recurrence,
    private readonly base: Base,
  ) {
    const { kind, work, failure } = recurrence;
    this.runner = new Runner(
      {
        ...{ kind, failure },
        limits: { atOnce: 1, ofLane: 1, ofUser: 1, together: 1, isAlone: true },
        leaseMs: 60_000,
        backOff: { firstMs: 60_000, factor: 2, longestMs: HOUR_MS },
        lastsMs: 48 * HOUR_MS, // the next one takes its place before that
        ...{ lookMs: 60_000, alwaysLooks: true },
        carryOut: async () => {
          await work();
          return { is: 'KEPT' };
        },
      },
      base,
    );
  }

  get kind(): string {
    return this.recurrence.kind;
  }

  /** Resolves once what is due has been done. */
  async begin(): Promise<void> {
    const { period, atStart = false } = this.recurrence;
    if (this.timer) return;
    this.timer = scheduled(PERIODS[period].rule, () => void this.run());
    await this.run(atStart);
    this.runner.begin();
  }

  /** It never rejects: what fails must not stop the service. */
  async run(isAgain = false): Promise<void> {
    const { database, clock, log } = this.base;
    const { kind, period, failure } = this.recurrence;
    const now = clock.now();
    try {
      const occurrence = { id: randomUUID(), kind, key: occurrenceAt(period, now), now, isAgain };
      await addOccurrence(database.query(), occurrence);
      await this.runner.run();
    } catch (error) {
      log.error({ err: error, kind }, failure);
    }
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.runner.stop();
  }
}

/** Done in each minute by each process that begins it: what one process has done, another finds done. */
export class EachMinute implements Background {
  private timer: schedule.Job | undefined;
  private working: Promise<void> = Promise.resolve();

  constructor(
    private readonly work: () => Promise<void>,
    private readonly reports: {
      log: Logger;
      failure: string;
      /** Asks what is under way to come to an end. */
      end?: () => void;
    },
  ) {}

  begin(): void {
    if (this.timer) return;
    this.timer = scheduled('0 * * * * *', () => void this.run());
    void this.run(); // what was missed
  }

  /** One at a time. It never rejects: the next minute makes up for what fails. */
  run(): Promise<void> {
    const { log, failure } = this.reports;
    this.working = this.working.then(this.work).catch((error: unknown) => log.error({ err: error }, failure));
    return this.working;
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    this.reports.end?.();
    await this.working;
  }
}
