import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Every file below a folder, and what is in it, to be compared. */
export function contentsOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pairs = entries.map((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    const contents = entry.isFile()
      ? createHash('sha256').update(readFileSync(file)).digest('hex')
      : 'folder';
    return [path.relative(folder, file), contents] as const;
  });
  return Object.fromEntries(pairs.sort());
}
