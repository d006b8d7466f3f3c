import { spawnSync } from 'node:child_process';
import { lchownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresOf } from '../support/embedded.js';
import {
  dataDirectory,
  run,
  type ServiceProcess,
  startService,
  temporaryFolder,
} from '../support/process.js';

const isRoot = process.getuid?.() === 0;

const passwordOf = (DATA_DIR: string) => readFileSync(path.join(DATA_DIR, 'postgresql-password'), 'utf8');

/** A session of whoever can enter the folder. */
async function sessionOn(DATA_DIR: string, password: string): Promise<pg.Client> {
  const client = new pg.Client({ host: path.join(DATA_DIR, 'postgresql'), user: 'postgres', password });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** With the password of the file alone, and not with another. */
async function expectClosed(DATA_DIR: string, another = 'postgres'): Promise<void> {
  await expect(sessionOn(DATA_DIR, another)).rejects.toMatchObject({ code: '28P01' });
  await (await sessionOn(DATA_DIR, passwordOf(DATA_DIR))).end();
}

/** What another account of the machine meets at the socket: the name of an error, or nothing. */
function asAnother(uid: number, socket: string): Promise<string | undefined> {
  process.seteuid?.(uid);
  try {
    const connection = connect(socket); // asks at once, as that account
    return new Promise((resolve) => {
      connection.once('connect', () => resolve(undefined)).once('connect', () => connection.destroy());
      connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  } finally {
    process.seteuid?.(0);
  }
}

const users = (DATA_DIR: string) => run('operation/commands/users.js', { DATA_DIR }, ['list']);

/** Listens, and has closed what was open. */
async function started(DATA_DIR: string): Promise<ServiceProcess> {
  const service = startService({ DATA_DIR });
  await service.listening();
  return service;
}

function giveAll(file: string, uid: number): void {
  lchownSync(file, uid, uid);
  if (!statSync(file).isDirectory()) return;
  for (const name of readdirSync(file)) giveAll(path.join(file, name), uid);
}

/** As a first start leaves it that is broken off before anybody needs the password. */
function openDirectory(owner: number): string {
  const DATA_DIR = dataDirectory();
  rmSync(path.join(DATA_DIR, 'postgresql-password'));
  writeFileSync(path.join(DATA_DIR, 'postgresql', 'pg_hba.conf'), 'local all all trust\n');
  if (isRoot) giveAll(path.join(DATA_DIR, 'postgresql'), owner);
  return DATA_DIR;
}

const NOBODY = 65_534;

describe('The embedded database lets in', () => {
  it('whoever knows the password, also where the first start was broken off before', async () => {
    const DATA_DIR = openDirectory(NOBODY);
    await started(DATA_DIR);
    await expectClosed(DATA_DIR);
    expect(statSync(path.join(DATA_DIR, 'postgresql-password')).mode & 0o777).toBe(0o600);
    expect(await users(DATA_DIR).exited).toBe(0);
  });

  it('the service, though the file of the password was lost', async () => {
    const DATA_DIR = dataDirectory();
    const before = passwordOf(DATA_DIR);
    rmSync(path.join(DATA_DIR, 'postgresql-password'));
    await started(DATA_DIR);
    await expectClosed(DATA_DIR, before);
  });
});

describe.runIf(isRoot)("Root's embedded database", () => {
  it.each([
    ['with a long path', ['d'.repeat(60), 'e'.repeat(60)]],
    ['with a comma and a quotation mark', ['a, "b"']],
  ])('%s takes nobody else in, at any place', async (_what, names) => {
    const above = temporaryFolder();
    const DATA_DIR = path.join(above, ...names);
    mkdirSync(above, { mode: 0o755 });
    await started(DATA_DIR);
    const find = ['-name', '.s.PGSQL.*', '-type', 's'];
    const [socket = '', ...more] = spawnSync('find', [DATA_DIR, ...find])
      .stdout.toString()
      .trim()
      .split('\n');
    expect(more).toEqual([]);
    process.chdir(path.dirname(socket)); // a short way, were it open
    const met = asAnother(NOBODY, `./${path.basename(socket)}`);
    process.chdir(path.join(import.meta.dirname, '../..'));
    expect(await met).toBe('EACCES');
    const state = readFileSync(path.join(DATA_DIR, 'postgresql/postmaster.pid'), 'utf8');
    expect(state.split('\n')[4]).toBe('/proc/self/cwd'); // and not in a folder of another account
  });

  it('is taken from an account that had the directory, with its password, and refuses it', async () => {
    const DATA_DIR = openDirectory(5);
    const file = path.join(DATA_DIR, 'postgresql-password');
    const known = 'known to games, and of more than 32 letters';
    writeFileSync(file, known);
    for (const theirs of [DATA_DIR, file]) lchownSync(theirs, 5, 5);
    const service = await started(DATA_DIR);
    expect(service.output).toContain('belonged to another account (5)');
    expect(await asAnother(5, path.join(DATA_DIR, 'postgresql', '.s.PGSQL.5432'))).toBe('EACCES');
    await expectClosed(DATA_DIR, known);
    expect(statSync(file).uid).toBe(0);
  });

  it('is left to the account that has it by a command, which may be run beside a service of that', async () => {
    const DATA_DIR = dataDirectory();
    const service = await started(DATA_DIR);
    const file = path.join(DATA_DIR, 'postgresql-password');
    const password = passwordOf(DATA_DIR);
    lchownSync(file, 5, 5); // as beside a service of another account
    const beside = users(DATA_DIR);
    expect(await beside.exited, beside.output).toBe(0);
    expect({ owner: statSync(file).uid, password: passwordOf(DATA_DIR) }).toEqual({ owner: 5, password });
    await service.stop();
    lchownSync(DATA_DIR, 5, 5);
    const refused = users(DATA_DIR);
    expect(await refused.exited).toBe(1);
    expect(refused.output).toContain('belongs to another account (5)');
    expect(statSync(DATA_DIR).uid).toBe(5);
  });

  it('runs as an account that nobody else has, without rights over files of root', async () => {
    const DATA_DIR = openDirectory(NOBODY);
    await started(DATA_DIR);
    const status = readFileSync(`/proc/${postgresOf(DATA_DIR)}/status`, 'utf8');
    const [, uid] = /^Uid:\t(\d+)/m.exec(status) ?? [];
    expect(Number(uid)).toBeGreaterThanOrEqual(61_184);
    expect(Number(uid)).toBeLessThan(65_520);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`);
    for (const kind of ['Prm', 'Eff', 'Amb']) expect(status).toMatch(new RegExp(`^Cap${kind}:\t0+$`, 'm'));
    const client = await sessionOn(DATA_DIR, passwordOf(DATA_DIR));
    await expect(client.query("select pg_read_file('/etc/shadow')")).rejects.toThrow('Permission denied');
    const secret = path.join(DATA_DIR, 'jwt-secret');
    await expect(client.query(`copy (select 1) to program 'cat ${secret}'`)).rejects.toThrow('failed');
    await client.end();
  });

  it('keeps its account from start to start, unless another process has that by now', async () => {
    const DATA_DIR = dataDirectory();
    const owner = () => statSync(path.join(DATA_DIR, 'postgresql')).uid;
    await (await started(DATA_DIR)).stop();
    const first = owner();
    await (await started(DATA_DIR)).stop('SIGKILL');
    expect(owner()).toBe(first);
    const copy = path.join(path.dirname(DATA_DIR), 'copy');
    await started(DATA_DIR);
    spawnSync('cp', ['-a', DATA_DIR, copy]);
    rmSync(path.join(copy, 'postgresql', 'postmaster.pid'));
    await started(copy);
    expect(owner()).toBe(first);
    expect(statSync(path.join(copy, 'postgresql')).uid).not.toBe(first);
  });
});
