import { build, outdated, PARTS } from './dist.ts';

/** Builds what is outdated, and says so: it is the longest part of a first start. False if it cannot be built. */
export async function isBuilt(): Promise<boolean> {
  const parts = outdated();
  if (parts.length === 0) return true;
  console.error(`Building the ${parts.join(', the ')}: this takes some seconds.`);
  return build(parts);
}

export const isBuiltAnew = (): Promise<boolean> => build(PARTS);
