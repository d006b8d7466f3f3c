import { build, outdated, PARTS } from './dist.ts';

/** Builds what is outdated, and says so: it is the longest part of a first start. False if it cannot be built. */
export async function isBuilt(): Promise<boolean> {
  const parts = outdated();
  return parts.length === 0 || build(parts, { isTold: true });
}

export const isBuiltAnew = (): Promise<boolean> => build(PARTS);
