import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heapOf, MALLOC } from '../../scripts/node-options.ts';
import { readConfig, settings } from '../../src/config.js';
import { needs } from '../support/tools.js';

const FILE = 'examples/systemd/steady.service';
const text = readFileSync(FILE, 'utf8');
const valuesOf = (key: string) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value);
const environment: Record<string, string> = Object.fromEntries(
  valuesOf('Environment').map((each = '') => each.split(/=(.*)/s)),
);

describe(FILE, () => {
  it('starts the service as npm start does, and waits until it is ready', () => {
    const started = ['/opt/steady/node_modules/.bin/node', ...heapOf('main.js'), 'dist/src/main.js'];
    expect(valuesOf('ExecStart')).toEqual([started.join(' ')]);
    expect(valuesOf('ExecStartPost')).toEqual([
      '-/opt/steady/node_modules/.bin/node dist/src/commands/health.js --wait 60',
    ]);
    expect(valuesOf('Type')).toEqual(['exec']);
  });

  it('sets what the service knows, and has its secrets from credentials', () => {
    const known: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
    const others = Object.keys(environment).filter((name) => !known.includes(name));
    expect(others).toEqual(Object.keys(MALLOC));
    const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
    expect(files.map(([, file]) => file)).toEqual(
      valuesOf('LoadCredential').map((each = '') => `%d/${each.split(':')[0]}`),
    );
    const { JWT_SECRET_FILE: _, DATABASE_URL_FILE: __, ...rest } = environment;
    const secrets = { JWT_SECRET: 'a secret of the test, long enough', DATABASE_URL: 'postgres://u@h/d' };
    expect(readConfig({ ...rest, ...secrets }).warnings).toEqual([]);
  });

  it('does not forbid what Node cannot do without', () => {
    expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]);
    expect(valuesOf('StateDirectory')).toEqual(['steady']);
    for (const name of ['DATA_DIR', 'BACKUP_DIR']) expect(environment[name]).toMatch(/^\/var\/lib\/steady\//);
  });
});

describe('examples/systemd/steady-run', () => {
  /** Programs of systemd, which runs no units here: one shows the unit, the other what it is asked to run. */
  function asked(override: string, ...args: string[]): string[] {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-run-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, 'shown'), `${text}\n${override}`);
    const program = (name: string, script: string) =>
      writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    program('systemctl', `cat ${folder}/shown`);
    program('systemd-run', 'printf "%s\\n" "$@"');
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { status, stdout, stderr } = spawnSync('examples/systemd/steady-run', args, {
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    return stdout.trimEnd().split('\n');
  }

  it('runs a command with the settings, the secrets and the account of the unit', () => {
    const given = asked('', 'users', 'create', 'ana@example.com', '--name', 'Ana Lima');
    expect(given.slice(-6)).toEqual([
      ...['/opt/steady/node_modules/.bin/node', 'dist/src/commands/users.js'],
      ...['create', 'ana@example.com', '--name', 'Ana Lima'],
    ]);
    const unit = given.find((each) => each.startsWith('--unit='))?.slice('--unit='.length);
    expect(given.filter((each) => each.startsWith('--setenv='))).toEqual(
      Object.entries(environment).map(
        ([name, value]) => `--setenv=${name}=${value.replace('%d', `/run/credentials/${unit}.service`)}`,
      ),
    );
    expect(given).toEqual(
      expect.arrayContaining([
        '--property=User=steady',
        '--property=DynamicUser=yes',
        '--property=StateDirectory=steady',
        '--property=WorkingDirectory=/opt/steady',
        ...valuesOf('LoadCredential').map((each) => `--property=LoadCredential=${each}`),
      ]),
    );
  });

  it('heeds what `systemctl edit` has set after the unit', () => {
    const lines = [
      'DynamicUser=no',
      'User=steady',
      'ReadWritePaths=/mnt/steady',
      'Environment=BACKUP_DIR=/mnt/steady',
    ];
    const given = asked(lines.join('\n'), 'doctor');
    const last = (start: string) => given.findLast((each) => each.startsWith(start));
    expect(last('--property=DynamicUser=')).toBe('--property=DynamicUser=no');
    expect(last('--setenv=BACKUP_DIR=')).toBe('--setenv=BACKUP_DIR=/mnt/steady');
    expect(given).toContain('--property=ReadWritePaths=/mnt/steady');
  });
});

describe('systemd-analyze', needs('systemd-analyze'), () => {
  /** The unit, as it would be with the service in another place. */
  function installed(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const node = path.join(folder, 'node_modules/.bin/node');
    mkdirSync(path.dirname(node), { recursive: true });
    writeFileSync(node, '');
    chmodSync(node, 0o755);
    const unit = path.join(folder, 'steady.service');
    writeFileSync(unit, text.replaceAll('/opt/steady', folder));
    return unit;
  }

  const analyze = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('finds no fault in the unit', () => {
    const unit = installed();
    const { status, output } = analyze('verify', '--man=no', unit);
    expect({ status, faults: output.split('\n').filter((line) => line.includes('steady')) }).toEqual({
      status: 0,
      faults: [],
    });
  });

  it('counts its exposure as low', () => {
    const { status, output } = analyze('security', '--offline=yes', '--threshold=30', installed());
    expect(status, output).toBe(0);
  });
});
