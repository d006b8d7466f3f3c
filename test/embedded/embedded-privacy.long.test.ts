import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { secretOf } from '../../src/startup/instance.js';
import { dataDirectory, run, startService, temporaryFolder } from '../support/process.js';
import { SmallDisk } from '../support/small-disk.js';
import { needs } from '../support/tools.js';

const filesIn = (folder: string) => [
  folder,
  ...readdirSync(folder, { recursive: true }).map((name) => path.join(folder, `${name}`)),
];

/** The modes below a folder, itself included, without repetition. */
const modesIn = (folder: string) => {
  const modes = filesIn(folder).map((file) => {
    const found = lstatSync(file);
    return `${found.isDirectory() ? 'directory' : 'file'} ${(found.mode & 0o777).toString(8)}`;
  });
  return [...new Set(modes)].sort();
};

const PRIVATE = ['directory 700', 'file 600'];

const openUp = (folder: string) => {
  for (const file of filesIn(folder)) chmodSync(file, lstatSync(file).isDirectory() ? 0o755 : 0o644);
};

describe.skipIf(process.platform === 'win32')('The data directory', () => {
  it('is made so that no other account can read it', () => {
    expect(modesIn(inject('dataDirectory'))).toEqual(PRIVATE);
  });

  it('is closed to other accounts at start, which is said once, and stays so whatever is written', async () => {
    const DATA_DIR = dataDirectory();
    openUp(DATA_DIR);
    const service = startService({ DATA_DIR });
    await service.listening();
    expect(service.output).toContain(
      `DATA_DIR ${DATA_DIR} was open to other accounts, and is closed to them now`,
    );
    expect(await service.stop()).toBe(0);
    const before = filesIn(DATA_DIR).length;
    const seed = run('commands/seed.js', { DATA_DIR }, ['--users=200', '--completions=50']);
    expect(await seed.exited).toBe(0);
    expect(seed.output).not.toContain('other accounts');
    expect(filesIn(DATA_DIR).length).toBeGreaterThan(before);
    expect(modesIn(DATA_DIR)).toEqual(PRIVATE);
  });

  it('with nothing but the secret in it is closed to other accounts as well', () => {
    const dataDir = temporaryFolder();
    const config = { ...readConfig({}), databaseUrl: 'postgres://localhost/steady', dataDir };
    const warnings: string[] = [];
    const secret = secretOf(config, (line) => warnings.push(line));
    expect({ warnings, modes: modesIn(dataDir) }).toEqual({ warnings: [], modes: PRIVATE });
    openUp(dataDir);
    expect(secretOf(config, (line) => warnings.push(line))).toBe(secret);
    expect(modesIn(dataDir)).toEqual(PRIVATE);
    expect(warnings).toEqual([
      expect.stringMatching(/was open to other accounts, and is closed .*\(3 files/),
    ]);
  });

  it(
    'that cannot be closed is used all the same, with one line',
    needs('leave to mount a disk'),
    async () => {
      const disk = await SmallDisk.make(1);
      const dataDir = disk.file('data');
      mkdirSync(dataDir);
      writeFileSync(path.join(dataDir, 'steady.json'), '{"format":1}');
      writeFileSync(path.join(dataDir, 'jwt-secret'), 'x'.repeat(64));
      openUp(dataDir);
      disk.makeReadOnly();
      const warnings: string[] = [];
      const config = { ...readConfig({}), databaseUrl: 'postgres://localhost/steady', dataDir };
      expect(secretOf(config, (line) => warnings.push(line))).toBe('x'.repeat(64));
      expect(warnings).toEqual([
        expect.stringMatching(/is open to other accounts, and neither its owner nor its file system/),
      ]);
    },
  );
});
