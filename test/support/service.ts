import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.js';
import { startService } from './process.js';
import { startProxy } from './proxy.js';
import type { PostgresServer } from './server.js';
import { RestClient, SECRET, TestUser } from './world.js';

export async function freshDatabase(server: PostgresServer) {
  const database = `service_${randomUUID().replaceAll('-', '')}`;
  await server.execute(`create database ${database}`);
  const proxy = await startProxy(Number(new URL(server.url(database)).port));
  onTestFinished(() => proxy.stop());
  return { database, proxy };
}

export type Service = Awaited<ReturnType<typeof serviceOn>>;

/** The built service on a database of its own, with a proxy in between, and someone who uses it; `direct` is past the proxy. */
export async function serviceOn(server: PostgresServer, environment: Record<string, string> = {}) {
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
