import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';

/** The version and the path of this Node, and of others that the machine has. */
export function systemNodes(): [version: string, node: string][] {
  const found = new Map([[process.version, process.execPath]]);
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    const node = path.join(folder, 'node');
    const { stdout, status } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    if (status === 0 && !found.has(stdout.trim())) found.set(stdout.trim(), realpathSync(node));
  }
  return [...found].filter(([version]) => Number(/^v(\d+)/.exec(version)?.[1]) >= 20);
}
