import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { released } from './tools.ts';

/** A package that only the last release has, for its embedded database, which is not tested here: enough to build it. */
const GONE = {
  scope: '@mikro-orm',
  name: 'pglite',
  files: {
    'package.json': JSON.stringify({ name: '@mikro-orm/pglite', type: 'module', main: 'index.js' }),
    'index.js': 'export const MikroORM = undefined;\n',
    'index.d.ts': 'export declare const MikroORM: any;\nexport type PgliteConnection = any;\n',
  },
};

/** The sources of the last release in a folder of their own, with the packages of this one. */
export function previousRelease(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-previous-'));
  const archive = execFileSync('git', ['archive', released.commit], { maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  linkPackages(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function linkPackages(ours: string, theirs: string): void {
  const { scope, name, files } = GONE;
  const link = (entry: string) => symlinkSync(path.join(ours, entry), path.join(theirs, entry));
  const gone = path.join(theirs, scope, name);
  mkdirSync(gone, { recursive: true });
  for (const entry of readdirSync(ours)) if (entry !== scope) link(entry);
  for (const entry of readdirSync(path.join(ours, scope))) link(path.join(scope, entry));
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(gone, file), text);
}
