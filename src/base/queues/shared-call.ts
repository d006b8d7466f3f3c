import { unavailable } from '../errors.js';
import { answerLeft, currentRequest, inBackground, outcomeSoFar } from '../request.js';

/** Callers share the call that is under way, and the next one makes a new one. It has the deadline of none of them. */
export function shareCall<T>(call: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= inBackground(call).finally(() => {
      underWay = undefined;
    });
    return inOwnTime(underWay);
  };
}

/** The first success is kept for good. After a failure, the next caller tries again. */
export function shareSuccess<T>(call: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= inBackground(call).catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return inOwnTime(kept);
  };
}

/** A request waits for it no longer than it may last itself. */
export function inOwnTime<T>(
  call: Promise<T>,
  tooLate: () => Error = () => unavailable(outcomeSoFar(), 'OVERLOADED'),
): Promise<T> {
  const request = currentRequest();
  if (!request) return call;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), Math.max(0, answerLeft(request)));
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}
