import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig, settings } from '../../src/features/settings.js';
import { needs } from '../support/tools.js';

const FILE = 'examples/systemd/steady.service';
const text = readFileSync(FILE, 'utf8');
const valuesOf = (key: string) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value);
const environment: Record<string, string> = Object.fromEntries(
  valuesOf('Environment').map((each = '') => each.split(/=(.*)/s)),
);

describe(FILE, () => {
  it('sets what the service knows, and needs no setting of anybody', () => {
    const known: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(valuesOf('EnvironmentFile')).toEqual(['-/etc/steady/environment']);
    expect(() => readConfig(environment)).not.toThrow();
    expect(readConfig({ ...environment, DATABASE_URL: 'postgres://u@h/d' }).warnings).toEqual([]);
  });
});

describe('systemd-analyze', needs('systemd-analyze'), () => {
  /** The unit, as it would be with the service in another place. */
  function installed(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'steady-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = path.join(folder, 'steady');
    writeFileSync(program, '', { mode: 0o755 });
    const unit = path.join(folder, 'steady.service');
    writeFileSync(unit, text.replaceAll('/usr/local/bin/steady', program));
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
});
