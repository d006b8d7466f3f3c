import { randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { contentsOf } from '../support/contents.js';
import { dataDirectory, launch, startService, temporaryFolder } from '../support/process.js';

type Damage = (file: string) => void;

const empty: Damage = (file) => truncateSync(file);
const remove: Damage = (file) => rmSync(file, { recursive: true });
const garble: Damage = (file) => writeFileSync(file, randomBytes(statSync(file).size));
const cut: Damage = (file) => truncateSync(file, 100);
const write =
  (text: string): Damage =>
  (file) =>
    writeFileSync(file, text);
const each =
  (damage: Damage): Damage =>
  (folder) => {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) damage(path.join(entry.parentPath, entry.name));
  };
const clear: Damage = (folder) => {
  remove(folder);
  mkdirSync(folder);
};

const CATALOG = 'postgres/base/5/1259';

const cases: [what: string, name: string, damage: Damage, line: RegExp][] = [
  ['that is an empty folder', 'postgres', clear, /has no PG_VERSION/],
  ['without PG_VERSION', 'postgres/PG_VERSION', remove, /has no PG_VERSION/],
  ['with an empty PG_VERSION', 'postgres/PG_VERSION', empty, /its PG_VERSION is damaged/],
  ['of empty files', 'postgres', each(empty), /its PG_VERSION is damaged/],
  ['without pg_control', 'postgres/global/pg_control', remove, /No such file/],
  ['with a part of pg_control', 'postgres/global/pg_control', cut, /read 100 of/],
  ['without its log', 'postgres/pg_wal', each(remove), /valid checkpoint record/],
  ['without its transactions', 'postgres/pg_xact', remove, /status of transaction/],
  ['with a garbled catalog', CATALOG, garble, /invalid page/],
  ['with an empty catalog', CATALOG, empty, /could not open critical system index/],
  ['with garbled tables', 'postgres/base/5', each(garble), /./],
];

describe('A damaged directory', () => {
  /** Of a process that was killed while writing: the next start changes much before it is ready. */
  let killed: string;
  beforeAll(async () => {
    killed = path.join(mkdtempSync(path.join(tmpdir(), 'steady-killed-')), 'data');
    cpSync(inject('dataDirectory'), killed, { recursive: true });
    const service = launch('dist/src/main.js', { DATA_DIR: killed });
    const rest = await service.listening();
    for (const name of ['Ana', 'Ben'])
      await rest.post('/api/auth/signup', { name, email: `${name}@example.com`, password: 'secret1' });
    await service.stop('SIGKILL');
  });
  afterAll(() => rmSync(path.dirname(killed), { recursive: true }));

  const killedCopy = () => {
    const copy = temporaryFolder();
    cpSync(killed, copy, { recursive: true });
    return copy;
  };

  async function isRefused(DATA_DIR: string): Promise<string> {
    const service = startService({ DATA_DIR });
    expect(await service.exited).toBe(1);
    return service.output;
  }

  it.each(cases)('with a database %s is refused with one line', async (_, name, damage, line) => {
    const DATA_DIR = killedCopy();
    damage(path.join(DATA_DIR, name));
    const output = await isRefused(DATA_DIR);
    expect(output).toMatch(
      /^The database in \S+ cannot be opened: .+\. Restore it from a backup, or move it away\.\n$/,
    );
    expect(output).toMatch(line);
  });

  it('gets neither a lock nor a secret when it had none', async () => {
    const DATA_DIR = dataDirectory();
    remove(path.join(DATA_DIR, 'lock'));
    garble(path.join(DATA_DIR, CATALOG));
    const before = readdirSync(DATA_DIR);
    expect(await isRefused(DATA_DIR)).toMatch(/^The database in \S+ cannot be opened: .+\n$/);
    expect(readdirSync(DATA_DIR)).toEqual(before);
  });

  it.each([
    ['whose marker is empty', 'steady.json', empty, /^The file \S+steady\.json is damaged\. .+\n$/],
    ['whose marker is garbled', 'steady.json', garble, /^The file \S+steady\.json is damaged\. .+\n$/],
    ['whose secret is empty', 'jwt-secret', empty, /^The file \S+jwt-secret is damaged\. .+\n$/],
    ['of a newer Steady', 'steady.json', write('{"format":2}'), /^DATA_DIR \S+ was written by a newer .+\n$/],
  ])('%s is refused with one line and not changed', async (_what, name, damage, line) => {
    const DATA_DIR = killedCopy();
    damage(path.join(DATA_DIR, name));
    const before = contentsOf(DATA_DIR);
    expect(await isRefused(DATA_DIR)).toMatch(line);
    expect(contentsOf(DATA_DIR)).toEqual(before);
  });
});
