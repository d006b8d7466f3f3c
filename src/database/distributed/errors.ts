import { isKeptByPooler, isPlainError, UNKNOWN } from '../outcome.js';

// With Citus, errors arrive from the node that found them, and differ in what this file knows.

/** The number of a shard is appended to the names of its tables and of their constraints. */
const SHARD = /^(_\d+)?$/;

/** Whether a name in an error is this one, of a whole table or of a shard. */
export const isNamed = (found: string, name: string): boolean =>
  found.startsWith(name) && SHARD.test(found.slice(name.length));

/** Whether a message quotes this name: some errors of a node have names nowhere else. */
export const isQuoted = (message: string, name: string): boolean =>
  [...message.matchAll(/"([^"]+)"/g)].some(([, quoted = '']) => isNamed(quoted, name));

/**
 * One node has lost another, and says so as of any mistake: what the other has done, nobody knows. There is no code of
 * its own for a commit that went astray.
 */
export const isInDoubt = (error: unknown, text: string): boolean => {
  const code = String((error as { code?: unknown }).code);
  const isLost = UNKNOWN.test(code) || (text === 'commit' && code === 'XX000');
  return isLost && isPlainError(error) && !isKeptByPooler(error);
};
