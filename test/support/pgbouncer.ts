import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from './port.ts';
import { identity, untilReady } from './server.ts';
import { PGBOUNCER } from './tools.ts';

/** PgBouncer in transaction mode, in front of a server of the tests. */
export type Pooler = Awaited<ReturnType<typeof startPgBouncer>>;

/** In seconds where no unit is given. It is as strict as one can be that nobody has configured for this service. */
const SETTINGS = {
  listen_addr: '127.0.0.1',
  unix_socket_dir: '',
  auth_type: 'trust',
  pool_mode: 'transaction',
  default_pool_size: 16,
  max_client_conn: 5_000,
  server_login_retry: 1,
  server_idle_timeout: 5,
  admin_users: 'postgres',
  log_connections: 0,
  log_disconnections: 0,
};

/** `serverUrl` is any address on the server; the pooler has all of its databases. */
export async function startPgBouncer(serverUrl: string, chosen: Record<string, string | number> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-pgbouncer-'));
  const port = await freePort();
  const file = (name: string, text: string) => {
    const whole = path.join(folder, name);
    writeFileSync(whole, text);
    if (identity.uid !== undefined) chownSync(whole, identity.uid, identity.gid ?? -1);
    return whole;
  };
  const users = file('users', '"postgres" ""\n');
  const { connect_query, ...others } = chosen; // a setting of each database
  const settings = Object.entries({ ...SETTINGS, listen_port: port, auth_file: users, ...others });
  const { hostname, port: serverPort } = new URL(serverUrl);
  const limits = connect_query ? ` connect_query=${connect_query}` : '';
  const lines = [
    ...['[databases]', `* = host=${hostname} port=${serverPort}${limits}`],
    ...['[pgbouncer]', ...settings.map(([name, value]) => `${name} = ${value}`)],
  ];
  const configured = file('pgbouncer.ini', `${lines.join('\n')}\n`);
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? -1);

  /** `address` of a database, by way of the pooler. */
  const through = (address: string) => Object.assign(new URL(address), { port: String(port) }).href;
  const isThere = async () => {
    const client = new pg.Client(through('postgres://postgres@127.0.0.1/pgbouncer'));
    client.on('error', () => {});
    await client.connect();
    await client.query('show version').finally(() => client.end().catch(() => {}));
  };
  let child: ChildProcess | undefined;
  /** Brings it back after `kill`, on the same port. */
  const start = async (): Promise<void> => {
    child = spawn(PGBOUNCER, ['-q', configured], { ...identity, stdio: 'ignore' });
    await untilReady(isThere, child);
  };
  const kill = async () => {
    const gone = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await gone;
  };
  await start();
  const stop = async () => {
    if (child?.exitCode === null && child.signalCode === null) await kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { through, pid: () => child?.pid, kill, start, stop };
}
