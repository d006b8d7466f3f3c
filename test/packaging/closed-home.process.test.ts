import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signUp } from '../support/embedded.js';
import { endGroup, ServiceProcess } from '../support/process.js';

/** What a clone has, and what `npm ci` adds. */
const PARTS = [
  ...['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'vitest.config.ts'],
  ...[
    'mikro-orm.config.ts',
    'migrations',
    'packages',
    'bin',
    'scripts',
    'src',
    'test',
    'bench',
    'schema.graphql',
    'dist',
  ],
];

/** Everything is built and tested in it, also where others keep the machine busy. */
const PATIENCE_MS = 1_800_000;

type Account = { uid: number; gid: number };

/** This checkout, in somebody's home, which nobody else may enter. */
class Home {
  readonly checkout: string;

  constructor(private readonly account: Account | undefined) {
    const home = mkdtempSync(path.join(tmpdir(), 'steady-home-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
    const closed = path.join(home, 'Übungen für später');
    this.checkout = path.join(closed, 'steady');
    mkdirSync(this.checkout, { recursive: true });
    for (const part of PARTS) cpSync(part, path.join(this.checkout, part), { recursive: true });
    // As links, where that is possible: they are many.
    const packages = ['node_modules', path.join(this.checkout, 'node_modules')];
    if (spawnSync('cp', ['-al', ...packages]).status !== 0) spawnSync('cp', ['-a', ...packages]);
    for (const folder of [home, closed]) chmodSync(folder, 0o700);
    if (!account) return;
    // Not the files, which may be links to those of this checkout.
    const giving = ['chown', `${account.uid}:${account.gid}`, '{}', '+'];
    spawnSync('find', [home, '-type', 'd', '-exec', ...giving]);
  }

  /** With the settings of a newcomer, which are none. */
  npm(...args: string[]): ServiceProcess {
    const env = { PATH: process.env.PATH, HOME: this.checkout, PORT: '0' };
    const child = spawn('npm', args, { cwd: this.checkout, env, detached: true, ...this.account });
    onTestFinished(() => endGroup(child));
    return new ServiceProcess(child);
  }

  file(name: string): string {
    return path.join(this.checkout, name);
  }
}

const isRoot = process.getuid?.() === 0;

/** This account, and from root another one too. */
const accounts: [string, Account | undefined][] = [
  ['this account', undefined],
  ...(isRoot ? [['another account than root', { uid: 65_534, gid: 65_534 }] as [string, Account]] : []),
];

describe.skipIf(process.platform === 'win32')('In a closed home, with spaces and umlauts in its path', () => {
  it.each(accounts)(
    '`npm start`, commands and `npm test` work for %s',
    { timeout: PATIENCE_MS },
    async (_who, account) => {
      const home = new Home(account);
      const service = home.npm('start');
      await signUp(await service.listening());
      const users = home.npm('run', 'steady', 'users', 'list');
      expect(await users.exited, users.output).toBe(0);
      expect(users.output).toContain('ana@example.com');
      expect(await service.stop()).toBe(0);
      expect(service.output).not.toMatch(/warn|deprecat|TIMINGS/i); // a newcomer's first screen
      const tests = home.npm('test', '--', 'test/streaks/fields.test.ts', 'test/tasks/batches.alone.test.ts');
      expect(await tests.exited, tests.output).toBe(0);
    },
  );
});
