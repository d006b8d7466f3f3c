import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// biome-ignore lint/suspicious/noExplicitAny: the functions of node:fs, whatever their parameters are
export type Functions = Record<string, (...given: any[]) => any>;

/** Has this process use other functions of node:fs, each of which is given the original first. Returns how to stop. */
export function replaceFunctions(others: Functions): () => void {
  const functions = fs as unknown as Functions;
  const originals: Functions = {};
  for (const [name, other] of Object.entries(others)) {
    const original = functions[name] as Functions[string];
    originals[name] = original;
    functions[name] = (...given) => other(original, ...given);
  }
  syncBuiltinESMExports();
  return () => {
    Object.assign(functions, originals);
    syncBuiltinESMExports();
  };
}
