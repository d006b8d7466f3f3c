import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

// What tests need of the machine and npm does not install. Without it they are skipped, and the run ends with a line
// that says so.

const works =
  (program: string, ...args: string[]) =>
  () =>
    spawnSync(program, args, { stdio: 'ignore' }).status === 0;

const browsers = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell', // takes half the time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `CHROMIUM` names another place. */
export const browserPath = browsers.find((path) => path && existsSync(path));

export const PGBOUNCER = process.env.TEST_PGBOUNCER ?? 'pgbouncer';

/** Root may mount; others may in a user namespace, where the machine lets them. */
const mounting = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--map-root-user'];

/** Leaves the file systems of the machine, and runs the script. */
export const apart = (script: string) => [...mounting, 'sh', '-c', script];

const tools = {
  Chromium: () => browserPath !== undefined,
  PgBouncer: works(PGBOUNCER, '--version'),
  promtool: works('promtool', '--version'),
  nginx: works('nginx', '-v'),
  caddy: works('caddy', 'version'),
  script: works('script', '--version'),
  prlimit: works('prlimit', '--version'),
  'systemd-analyze': works('systemd-analyze', '--version'),
  'leave to mount a disk': works('unshare', ...apart(`mount -t tmpfs -o size=1m tmpfs ${tmpdir()}`)),
} satisfies Record<string, () => boolean>;

export type Tool = keyof typeof tools;

declare module 'vitest' {
  interface TaskMeta {
    needs?: Tool;
  }
}

const found = new Map<Tool, boolean>();

export function has(tool: Tool): boolean {
  const isThere = found.get(tool) ?? tools[tool]();
  found.set(tool, isThere);
  return isThere;
}

/** For the options of a test that cannot run without it. */
export const needs = (tool: Tool) => ({ skip: !has(tool), meta: { needs: tool } });
