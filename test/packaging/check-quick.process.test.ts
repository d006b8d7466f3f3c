import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { endGroup } from '../support/process.js';

/** Each makes a run end a day later. */
const FAULTS = [
  ['src/features/schedules/judge.ts', 'let day = kept.last + 1;', 'let day = kept.last + 2;'],
  ['src/features/schedules/stored-runs.ts', 'day} - 1`', 'day} - 2`'],
] as const;

const RULES = [
  'plans.alone.test.ts > a day of grace: too late',
  'streaks.test.ts > The streak job keeps a streak until a whole day was missed',
];

it('npm run check:quick tells the rule that a change breaks, by the tests of its folder', async () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'steady-check-quick-'));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' });
  for (const file of git('.', 'ls-files', '--cached', '--others', '--exclude-standard').split('\n'))
    if (existsSync(file)) cpSync(file, path.join(copy, file));
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'));
  cpSync('dist', path.join(copy, 'dist'), { recursive: true }); // where it may build what is wrong
  git(copy, 'init', '--quiet');
  git(copy, 'add', '.');
  const who = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.com'];
  git(copy, ...who, 'commit', '--quiet', '-m', 'What is there');

  for (const [file, right, wrong] of FAULTS) {
    const where = path.join(copy, file);
    const source = readFileSync(where, 'utf8');
    expect(source).toContain(right);
    writeFileSync(where, source.replace(right, wrong));
  }
  const script = path.resolve(copy, 'scripts/check-quick.ts');
  const checking = spawn(process.execPath, [script], {
    cwd: copy,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => endGroup(checking)); // what it checks after the tests takes longer than they do
  const untold = new Set(RULES);
  for await (const line of createInterface(checking.stderr)) {
    for (const rule of untold) if (line.includes(rule)) untold.delete(rule);
    if (untold.size === 0) break;
  }
  expect([...untold]).toEqual([]);
});
