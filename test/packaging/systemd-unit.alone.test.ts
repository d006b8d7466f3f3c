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
