import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.js';
import { type ServiceProcess, startService } from './process.js';
import { startProxy, type TcpProxy } from './proxy.js';
import type { PostgresServer } from './server.js';
import { RestClient, SECRET, TestUser } from './world.js';

/** The built service on a database of its own, with a proxy in between and someone who uses it. */
export interface Service {
  process: ServiceProcess;
  proxy: TcpProxy;
  rest: RestClient;
  ana: TestUser;
  task: { id: number };
  database: string;
  /** Past the proxy. */
  direct: pg.Client;
}

export async function freshDatabase(server: PostgresServer): Promise<{ database: string; proxy: TcpProxy }> {
  const database = `service_${randomUUID().replaceAll('-', '')}`;
  await server.execute(`create database ${database}`);
  const proxy = await startProxy(Number(new URL(server.url(database)).port));
  onTestFinished(() => proxy.stop());
  return { database, proxy };
}

export async function serviceOn(
  server: PostgresServer,
  environment: Record<string, string> = {},
): Promise<Service> {
  const { database, proxy } = await freshDatabase(server);
  const DATABASE_URL = proxy.through(server.url(database));
  const process = startService({ DATABASE_URL, JWT_SECRET: SECRET, ...environment });
  const { base } = await process.listening();
  const rest = new RestClient(base);
  const account = { name: 'Ana', email: 'ana@example.com', password: 'secret1' };
  const { token, user } = (await rest.post('/api/auth/signup', account)).body;
  const ana = new TestUser(base, token, { ...user, ...account });
  const direct = new pg.Client(server.url(database));
  direct.on('error', () => {}); // some tests stop the server
  await direct.connect();
  onTestFinished(() => direct.end());
  return { process, proxy, rest, ana, task: await ana.hasTask(), database, direct };
}

export async function numberOf(direct: pg.Client, table: string): Promise<number> {
  return (await direct.query(`select count(*)::int from ${table}`)).rows[0].count;
}

/** Has check-ins of Ana wait in the database until they are released, however busy the machine is. */
export async function holdCheckIns({ direct, ana }: Service) {
  await direct.query('begin');
  await direct.query('select from user_progress where user_id = $1 for update', [ana.id]);
  return {
    untilOneWaits: () => eventually(async () => (await numberOf(direct, 'pg_locks where not granted')) > 0),
    release: () => direct.query('commit'),
  };
}
