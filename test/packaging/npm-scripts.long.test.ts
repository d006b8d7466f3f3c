import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withLimits } from '../support/commands.js';
import { dataDirectory, endGroup, ServiceProcess } from '../support/process.js';

const { PATH, HOME } = process.env;

describe.skipIf(process.platform === 'win32')('SIGTERM to npm alone', () => {
  const shells = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

  it.each(shells)('ends the service of `npm start` in order, and npm with 0, through %s', async (shell) => {
    const env = { PATH, HOME, PORT: '0', ...withLimits(), DATA_DIR: dataDirectory() };
    // In a group of its own, so that nothing of it is left after the test.
    const child = spawn('npm', ['start', `--script-shell=${shell}`], { env, detached: true });
    onTestFinished(() => endGroup(child));
    const service = new ServiceProcess(child);
    const rest = await service.listening();
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain('Stopped');
    expect(service.output).not.toMatch(/warn|deprecat|TIMINGS/i); // a newcomer's first screen
    await expect(rest.get('/health/live')).rejects.toThrow();
  });
});

it('The lines of package.json ask of cmd.exe only for programs that it finds', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const [name, line] of Object.entries(scripts))
    expect(line, name).toMatch(/^(exec )?node \S+\.(js|ts)( |$)[^|]*$/);
  expect(readFileSync('exec.cmd', 'utf8')).toMatch(/^@rem .+\r\n@%\*\r\n$/);
});

describe('A build', () => {
  const build = (cwd: string, ...node: string[]) =>
    spawnSync(process.execPath, [...node, 'scripts/build.js', '--if-needed'], { cwd, encoding: 'utf8' });

  it('that is needed and cannot be made says what is missing and what to do', () => {
    const above = mkdtempSync(path.join(tmpdir(), 'steady-project-'));
    onTestFinished(() => rmSync(above, { recursive: true, force: true }));
    const cwd = path.join(above, 'Übungen für später');
    for (const name of ['package.json', 'tsconfig.json', 'package-lock.json', 'bin', 'scripts', 'src'])
      cpSync(name, path.join(cwd, name), { recursive: true });
    mkdirSync(path.join(cwd, 'node_modules')); // what `npm ci` leaves when NODE_ENV is production
    const { status, stdout, stderr } = build(cwd);
    expect([status, stdout + stderr]).toEqual([
      1,
      'Steady is not built, and the tools that build it are not installed (npm leaves them out when NODE_ENV=production). Run: npm ci --include=dev && npm run build\n',
    ]);
    expect(readdirSync(cwd).filter((name) => name.startsWith('dist'))).toEqual([]);
  });

  it('asks for a newer Node in words that an old one can read', () => {
    const older = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const { status, stderr } = build('.', `--import=data:text/javascript,${older}`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^This is Node 20\.20\.2, and Steady needs 22\.18 or newer\. .+\n$/);
  });
});
