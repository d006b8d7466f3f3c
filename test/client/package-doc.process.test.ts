import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/process.js';
import { world } from '../support/world.js';

const text = readFileSync('docs/package.md', 'utf8');
const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code);

it('docs/package.md shows code that works, one block after the other', async () => {
  const { base, clock, newUser } = await world();
  clock.set(new Date().toISOString());
  const { account } = await newUser();
  const cwd = temporaryFolder();
  mkdirSync(path.join(cwd, 'node_modules'), { recursive: true });
  symlinkSync(path.resolve('packages/client'), path.join(cwd, 'node_modules/steady-client'));
  const code = [...blocks, 'steady.close();']
    .join('\n')
    .replace('https://habits.example.com', base)
    .replace('ana@example.com', account.email);
  writeFileSync(path.join(cwd, 'shown.mts'), code);
  const settings = '--strict --noEmit --target es2022 --module nodenext --lib es2023,dom'.split(' ');
  const tsc = [path.resolve('node_modules/typescript/bin/tsc'), ...settings, '--types', '', 'shown.mts'];
  expect(spawnSync(process.execPath, tsc, { cwd, encoding: 'utf8' }).stdout).toBe('');
  // Not by `spawnSync`, which would hold up the service of this process.
  const told = await new Promise<string[]>((resolve) => {
    execFile(process.execPath, ['shown.mts'], { cwd }, (error, stdout, stderr) =>
      resolve([error ? error.message : '', stderr, stdout]),
    );
  });
  expect(told).toEqual(['', '', expect.any(String)]);
  const lines = ['Ana is logged in true', 'Swim 0', 'NOT_FOUND null false', 'sent', '0 undefined 0'];
  expect(told[2]?.split('\n')).toEqual(expect.arrayContaining(lines));
  expect(blocks.length).toBeGreaterThan(4);
});
