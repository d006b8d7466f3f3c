import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Which commit the last release is: kept by `npm run schema:release`. */
export const released: { version: string; commit: string } = JSON.parse(
  readFileSync('docs/schema/released.json', 'utf8'),
);

/** A copy of the repository may have come without its history. Says so where it has, since tests are skipped then. */
export function isPreviousReleaseThere(): boolean {
  const { status } = spawnSync('git', ['cat-file', '-e', `${released.commit}^{tree}`], { stdio: 'ignore' });
  if (status !== 0) console.warn(`${released.version} is not in the history here: its tests are skipped`);
  return status === 0;
}

/** The sources of the last release in a folder of their own, with the packages of this one. */
export function previousRelease(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-previous-'));
  const archive = execFileSync('git', ['archive', released.commit], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
