import type { SteadyError } from './errors.js';

export interface Backoff {
  reset: () => void;
  /** In milliseconds, and at least as long as the service says, in seconds. */
  next: (retryAfter?: number | null) => number;
}

/** Pauses, in milliseconds: longer each time, and never the same for two. */
export function backoffOf(first: number, longest: number): Backoff {
  let pause = first;
  return {
    reset: () => {
      pause = first;
    },
    next: (retryAfter) => {
      const least = (retryAfter ?? 0) * 1_000 + pause * (0.5 + Math.random() / 2);
      pause = Math.min(longest, pause * 2);
      return least;
    },
  };
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
  const backoff = backoffOf(500, longestWait * 1_000);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const { isPassing, retryAfter } = error as Partial<SteadyError>;
      const pause = backoff.next(retryAfter);
      if (!isPassing || attempt === attempts || pause > longestWait * 1_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
