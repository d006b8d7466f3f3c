import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { released } from './tools.ts';

/** The sources of the last release in a folder of their own, with the packages of this one. */
export function previousRelease(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-previous-'));
  const archive = execFileSync('git', ['archive', released.commit], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
