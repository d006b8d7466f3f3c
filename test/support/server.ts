import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type Account, namedAccount } from '../../src/database/embedded/account.ts'; // benchmarks run this file as it is
import { programsFor } from '../../src/database/embedded/binaries.ts';
import { childrenOf } from './children.ts';
import { freePort } from './port.ts';

/** A PostgreSQL server of the tests' own, from the binaries of an npm package. */
export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

const HALTS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** PostgreSQL refuses to run as root. */
const account = namedAccount();
export const identity: Partial<Account> = account ?? {};

const binaries = () => process.env.TEST_POSTGRES_BIN ?? programsFor(account);

/** An empty cluster, from which others are copied: making one takes longer than all else at start. */
export function makeCluster(data: string, bin = binaries()): void {
  const init = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
  const made = spawnSync(path.join(bin, 'initdb'), init, { ...identity, cwd: '/', encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`);
}

/** Names the cluster that a run of the tests has made beforehand: its new databases are migrated and empty. */
export const CLUSTER = 'TEST_POSTGRES_CLUSTER';

export function copyCluster(from: string, data: string): void {
  cpSync(from, data, { recursive: true });
  chmodSync(data, 0o700);
  if (!account) return;
  for (const entry of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
    chownSync(path.join(data, entry), account.uid, account.gid);
}

export function newCluster(data: string): void {
  const cluster = process.env[CLUSTER];
  if (cluster) copyCluster(cluster, data);
  else makeCluster(data);
}

/** A folder in which the server may write. */
export function clusterHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'steady-postgres-'));
  if (account) chownSync(home, account.uid, account.gid);
  return home;
}

/** `chosen` settings come on top of those that suit tests, which lose nothing of worth when the machine stops. */
export async function startPostgres(chosen: Record<string, string> = {}, bin = binaries()) {
  const home = clusterHome();
  const remove = () => rmSync(home, { recursive: true, force: true });
  try {
    const data = path.join(home, 'data');
    if (bin === binaries()) newCluster(data);
    else makeCluster(data, bin);
    const server = await serverOn(data, chosen, bin);
    /** Ends it for good. */
    const stop = async () => {
      await server.halt('immediate');
      remove();
    };
    return { ...server, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Debian's, which can compile statements (`jit`) as those of npm cannot; else those. */
const asTheyCome = () => globSync('/usr/lib/postgresql/*/bin').sort().at(-1) ?? binaries();

/** What differs between our settings and PostgreSQL's own. */
const OWN_DEFAULTS = {
  ...{ max_connections: '100', fsync: 'on', full_page_writes: 'on' },
  ...{ min_wal_size: '80MB', max_wal_size: '1GB' },
};

/** A server with the settings that PostgreSQL has by itself. */
export const startAsItComes = () => startPostgres(OWN_DEFAULTS, asTheyCome());

export async function serverOn(data: string, chosen: Record<string, string> = {}, bin = binaries()) {
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...{ fsync: 'off', full_page_writes: 'off' },
    ...{ min_wal_size: '32MB', max_wal_size: '64MB' }, // a gigabyte takes ten seconds to remove
    ...chosen,
  };
  const options = Object.entries({ port, ...settings }).flatMap((each) => ['-c', each.join('=')]);
  const launch = () =>
    spawn(path.join(bin, 'postgres'), ['-D', data, ...options], { ...identity, cwd: '/', stdio: 'ignore' });

  /** The address of a database on it. */
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  /** Runs a statement as its superuser. */
  const execute = async (statement: string) => {
    const client = new pg.Client(url('postgres'));
    client.on('error', () => {});
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  let server = launch();
  await untilReady(() => execute('select 1'), server);

  /** Brings it back after `halt`, on the same port. */
  const start = async (): Promise<void> => {
    // What a kill -9 left behind holds on to the data for a moment, and a new server ends itself.
    for (const deadline = Date.now() + 30_000; ; ) {
      server = launch();
      try {
        return await untilReady(() => execute('select 1'), server);
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  };
  /** Ends it and keeps its data: as its users finish nothing, as nobody finishes anything, or by kill -9. */
  const halt = async (how: keyof typeof HALTS) => {
    if (hasEnded(server)) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill(HALTS[how]);
    await gone;
  };
  /** One of its own processes ends by kill -9; it throws everybody out and recovers by itself. */
  const crash = () => {
    const [backend] = childrenOf(server).reverse();
    if (backend) process.kill(backend, 'SIGKILL');
  };
  /** SIGSTOP to every process of it: connections are accepted by the system, and nobody answers. */
  const pause = () => {
    server.kill('SIGSTOP'); // first, so that it makes no more
    for (const child of childrenOf(server)) process.kill(child, 'SIGSTOP');
  };
  const resume = () => {
    for (const child of childrenOf(server)) process.kill(child, 'SIGCONT');
    server.kill('SIGCONT');
  };
  return { port, url, execute, process: () => server, halt, start, crash, pause, resume };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

export async function untilReady(attempt: () => Promise<void>, server: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline || hasEnded(server)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
