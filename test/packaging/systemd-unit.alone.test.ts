import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig, settings } from '../../src/features/settings.js';
import { needs } from '../support/tools.js';

const FILE = 'examples/systemd/steady.service';
const text = readFileSync(FILE, 'utf8');
const valuesOf = (key: string) =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value);
const environment: Record<string, string> = Object.fromEntries(
  valuesOf('Environment').map((each = '') => each.split(/=(.*)/s)),
);

it(`${FILE} sets what the service knows, and needs no setting of anybody`, () => {
  const known: string[] = Object.values(settings).flatMap(({ name }) => [name, `${name}_FILE`]);
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  expect(valuesOf('EnvironmentFile')).toEqual(['-/etc/steady/environment']);
  expect(() => readConfig(environment)).not.toThrow();
  expect(readConfig({ ...environment, DATABASE_URL: 'postgres://u@h/d' }).warnings).toEqual([]);
});

it('systemd-analyze finds no fault in the unit', needs('systemd-analyze'), () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [program, unit] = ['steady', 'steady.service'].map((name) => path.join(folder, name));
  writeFileSync(program as string, '', { mode: 0o755 });
  writeFileSync(unit as string, text.replaceAll('/usr/local/bin/steady', program as string));
  const analyzed = spawnSync('systemd-analyze', ['verify', '--man=no', unit as string], { encoding: 'utf8' });
  expect(analyzed.stdout + analyzed.stderr).not.toContain('steady');
  expect(analyzed.status).toBe(0);
});
