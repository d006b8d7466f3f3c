import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../support/world.js';

const text = readFileSync('docs/package.md', 'utf8');
const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);

it('docs/package.md shows code that works, one block after the other', async () => {
  const { base, clock, newUser } = await world();
  clock.set(new Date().toISOString());
  const { account } = await newUser({ email: `${crypto.randomUUID()}@example.com` });
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-doc-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(path.resolve('packages/client'), path.join(folder, 'node_modules/steady-client'));
  const code = [...blocks, 'steady.close();']
    .join('\n')
    .replace('https://habits.example.com', base)
    .replace('ana@example.com', account.email);
  writeFileSync(path.join(folder, 'shown.mts'), code);
  const settings = '--strict --noEmit --target es2022 --module nodenext --lib es2023,dom'.split(' ');
  const tsc = [path.resolve('node_modules/typescript/bin/tsc'), ...settings, '--types', '', 'shown.mts'];
  const compiled = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' });
  expect(compiled.stdout).toBe('');
  const { status, stdout, stderr } = await run(folder);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      'Ana is logged in true',
      'Swim 0',
      'NOT_FOUND null false',
      'sent',
      '0 undefined 0',
    ]),
  );
  expect(blocks.length).toBeGreaterThan(4);
});

/** Not by `spawnSync`, which would hold up the service of this process. */
function run(folder: string) {
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, ['shown.mts'], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ status: error ? error.code : 0, stdout, stderr }),
    );
  });
}
