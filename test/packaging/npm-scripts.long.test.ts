import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withLimits } from '../support/commands.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory, endGroup, ServiceProcess } from '../support/process.js';

const root = process.cwd();

/** In a group of its own, so that nothing of it is left after the test. */
function npm(args: string[], cwd: string, environment: Record<string, string> = {}): ServiceProcess {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', ...withLimits(), ...environment };
  const child = spawn('npm', args, { cwd, env, detached: true });
  onTestFinished(() => endGroup(child));
  return new ServiceProcess(child);
}

const MAIN = `
process.on('SIGTERM', () => process.exit(0));
console.log('Steady runs: ' + (process.env.SAYING ?? ANSWER));
setInterval(() => {}, 1_000);
`;

const files = {
  'src/main.ts': `import { ANSWER } from './answer.js';${MAIN}`,
  'src/answer.ts': "export const ANSWER: string = 'first';\n",
  'src/graphql/playground/index.html': '<title>Playground</title>\n',
  'src/graphql/playground/vite.config.ts':
    "export default { build: { outDir: '../../../dist/playground' } };\n",
  'src/page/client/index.html': '<title>Page</title>\n',
  'migrations/one.ts': 'export {};\n',
  'mikro-orm.config.ts': 'export {};\n',
  'package-lock.json': '{}\n',
};

/** A small one, with our scripts, our compilers and our settings of them, at a place with spaces and umlauts. */
function project(): string {
  const above = mkdtempSync(path.join(tmpdir(), 'steady-project-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true, maxRetries: 5 }));
  const folder = path.join(above, 'Übungen für später');
  mkdirSync(folder);
  for (const name of ['package.json', 'tsconfig.json', '.npmrc', 'bin', 'scripts'])
    cpSync(name, path.join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) write(folder, name, text);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  return folder;
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
}

/** What `npm ci` leaves when NODE_ENV is production. */
function withoutTools(folder: string): void {
  rmSync(path.join(folder, 'node_modules'));
  mkdirSync(path.join(folder, 'node_modules'));
}

const build = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.js', ...args], { cwd });
  return { status, output: `${stdout}${stderr}` };
};

const drafts = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('dist.'));

describe.skipIf(process.platform === 'win32')('SIGTERM to npm alone', () => {
  const shells = ['dash', 'bash'].filter((shell) => spawnSync(shell, ['-c', 'true']).status === 0);

  it.each(shells)('ends the service of `npm start` in order, and npm with 0, through %s', async (shell) => {
    const service = npm(['start', `--script-shell=${shell}`], root, { DATA_DIR: dataDirectory() });
    const rest = await service.listening();
    expect(await service.stop()).toBe(0);
    expect(service.output).toContain('Stopped');
    expect(service.output).not.toMatch(/warn|deprecat|TIMINGS/i); // a newcomer's first screen
    await expect(rest.get('/health/live')).rejects.toThrow();
  });
});

describe('The lines of package.json', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));

  it('ask of cmd.exe only for programs that it finds', () => {
    for (const [name, line] of Object.entries(scripts))
      expect(line, name).toMatch(/^(exec )?node \S+\.(js|ts)( |$)[^|]*$/);
    expect(readFileSync('exec.cmd', 'utf8')).toMatch(/^@rem .+\r\n@%\*\r\n$/);
  });
});

describe('npm run dev', () => {
  it('sees every change, also of files that are replaced, and builds the playground only when it has changed', async () => {
    const cwd = project();
    const git = (...args: string[]) => {
      const named = [
        '-c',
        'user.name=Ana',
        '-c',
        'user.email=ana@example.com',
        '-c',
        'init.defaultBranch=main',
      ];
      expect(spawnSync('git', [...named, ...args], { cwd }).status).toBe(0);
    };
    git('init', '--quiet');
    git('add', 'src');
    git('commit', '--quiet', '--message=First');
    const dev = npm(['run', 'dev'], cwd);
    const runs = (what: string) => eventually(() => dev.output.trimEnd().endsWith(`Steady runs: ${what}`));
    const replace = (what: string) =>
      spawnSync('sed', ['-i.bak', `s/= '.*'/= '${what}'/`, 'src/answer.ts'], { cwd });
    await runs('first');
    write(cwd, 'dist/playground/kept', '');
    replace('second');
    await runs('second');
    replace('third');
    await runs('third');
    git('checkout', '--quiet', 'src/answer.ts');
    await runs('first');
    write(cwd, 'src/answer.ts', 'export const ANSWER: string = 4;\n');
    await eventually(() => dev.output.includes('The service runs on as it was'));
    expect(dev.output).toContain("src/answer.ts(1,14): error TS2322: Type 'number' is not assignable");
    write(cwd, 'src/answer.ts', "export const ANSWER: string = 'fifth';\n");
    await runs('fifth');
    expect(existsSync(path.join(cwd, 'dist/playground/kept'))).toBe(true);
    write(cwd, 'src/graphql/playground/index.html', '<title>Other</title>\n');
    await eventually(() =>
      readFileSync(path.join(cwd, 'dist/playground/index.html'), 'utf8').includes('Other'),
    );
    expect(existsSync(path.join(cwd, 'dist/playground/kept'))).toBe(false);
  });
});

describe('A build', () => {
  it('that is needed and cannot be made says what is missing and what to do', () => {
    const cwd = project();
    withoutTools(cwd);
    const line = (what: string) =>
      `${what}, and the tools that build it are not installed (npm leaves them out when NODE_ENV=production). Run: npm ci --include=dev && npm run build\n`;
    expect(build(cwd, '--if-needed')).toEqual({ status: 1, output: line('Steady is not built') });
    expect(drafts(cwd)).toEqual([]);
  });

  it('that is killed leaves dist as it was, and leaves no trace once another has been made', async () => {
    const cwd = project();
    build(cwd);
    write(cwd, 'src/answer.ts', "export const ANSWER: string = 'second';\n");
    const killed = spawn(process.execPath, ['scripts/build.js'], { cwd, detached: true });
    await eventually(() => drafts(cwd).length > 0);
    endGroup(killed);
    await new Promise((resolve) => killed.once('exit', resolve));
    expect(readFileSync(path.join(cwd, 'dist/src/main.js'), 'utf8')).toContain('first');
    expect(drafts(cwd)).toHaveLength(1);
    expect(build(cwd, '--if-needed').status).toBe(0);
    expect(readFileSync(path.join(cwd, 'dist/src/main.js'), 'utf8')).toContain('second');
    expect(drafts(cwd)).toEqual([]);
  });

  it('asks for a newer Node in words that an old one can read', () => {
    const older = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
    const { status, stderr } = spawnSync(process.execPath, [
      `--import=data:text/javascript,${older}`,
      'scripts/build.js',
      '--if-needed',
    ]);
    expect(status).toBe(1);
    expect(`${stderr}`).toMatch(/^This is Node 20\.20\.2, and Steady needs 22\.18 or newer\. .+\n$/);
  });
});
