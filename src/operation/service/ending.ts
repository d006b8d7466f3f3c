import { explainStartError } from '../startup/start-errors.js';

/** A stop that takes longer ends the process. It is longer than the drain, which cuts slow clients before. */
export const DRAIN_LIMIT_MS = 10_000;

/** npm forwards a signal to its group, so one signal may arrive twice. */
const SECOND_SIGNAL_AFTER_MS = 1_000;

/** Ends the process. */
export function fail(error: unknown): never {
  console.error(explainStartError(error));
  process.exit(1);
}

/** How a process ends: after a drain, or at once if it serves nothing yet or is asked a second time. */
export class Ending {
  private drain: (() => Promise<void>) | undefined;
  private askedAt: number | undefined;

  /** `say` tells the operator why it ends with 1. */
  constructor(private readonly say: (line: string) => void = console.error) {}

  get hasBegun(): boolean {
    return this.askedAt !== undefined;
  }

  /** Call it once there is something to drain. */
  drainsBy(drain: () => Promise<void>): void {
    this.drain = drain;
  }

  ask(code = 0): void {
    if (!this.drain) this.endAtOnce('Asked to stop before it served anything');
    if (this.askedAt !== undefined) {
      if (performance.now() - this.askedAt > SECOND_SIGNAL_AFTER_MS)
        this.endAtOnce('Asked to stop a second time: not everything was answered');
      return;
    }
    this.askedAt = performance.now();
    setTimeout(() => {
      console.error(`Not everything was answered within ${DRAIN_LIMIT_MS / 1_000} seconds`);
      process.exit(1);
    }, DRAIN_LIMIT_MS).unref();
    this.drain().then(() => process.exit(code), fail);
  }

  private endAtOnce(line: string): never {
    this.say(line);
    process.exit(1);
  }
}
