/** Callers share the call that is under way, and the next one makes a new one. */
export function shareCall<T>(call: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= call().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** The first success is kept for good. After a failure, the next caller tries again. */
export function shareSuccess<T>(call: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    kept ??= call().catch((error: unknown) => {
      kept = undefined;
      throw error;
    });
    return kept;
  };
}
