import type { SteadyError } from './errors.js';

export interface Pauses {
  /** In milliseconds. */
  first: number;
  longest: number;
}

/** Longer each time, and never the same for two. */
export class Backoff {
  private readonly pauses: Pauses;
  private pause: number;

  constructor(pauses: Pauses) {
    this.pauses = pauses;
    this.pause = pauses.first;
  }

  reset(): void {
    this.pause = this.pauses.first;
  }

  /** In milliseconds, and at least as long as the service says. */
  next(retryAfter = 0): number {
    const { pause } = this;
    this.pause = Math.min(this.pauses.longest, pause * 2);
    return retryAfter * 1_000 + pause * (0.5 + Math.random() / 2);
  }
}

export interface Patience {
  attempts?: number;
  /** In seconds: who must wait longer is told so instead. */
  longestWait?: number;
}

/** For queries, and for mutations that may arrive twice: those with a key, and those that set what they say. */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer>,
  { attempts = 8, longestWait = 30 }: Patience = {},
): Promise<Answer> {
  const backoff = new Backoff({ first: 500, longest: longestWait * 1_000 });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const { isPassing, retryAfter } = error as Partial<SteadyError>;
      const pause = backoff.next(retryAfter ?? 0);
      if (!isPassing || attempt === attempts || pause > longestWait * 1_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
