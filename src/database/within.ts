export class Late extends Error {}

/** Rejects when the work takes longer, which then goes on unheeded. In milliseconds. */
export async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  if (limit === Number.POSITIVE_INFINITY) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`no answer within ${limit} ms`)), limit);
  });
  work.catch(() => {}); // if it fails after that, nobody waits for it any more
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
