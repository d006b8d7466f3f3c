import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { startPgBouncer } from './pgbouncer.js';
import { startPostgres } from './server.js';

/** The connections of the pooler for all clients of a database. */
const CONNECTIONS = 4;

/** A server with a pooler in front of it. Its zone is nobody's: the service must not depend on it. */
export async function startPooled() {
  const server = await startPostgres({ timezone: 'Asia/Kathmandu' });
  const pooler = await startPgBouncer(server.url('postgres'), {
    default_pool_size: CONNECTIONS,
    query_wait_timeout: 2,
    connect_query: "'set statement_timeout = 1900; set idle_in_transaction_session_timeout = 1900'",
  });
  const newDatabase = async (template = 'template1') => {
    const name = `pooled_${randomUUID().replaceAll('-', '')}`;
    await server.execute(`create database ${name} template ${template}`);
    const DATABASE_DIRECT_URL = server.url(name);
    return { DATABASE_URL: pooler.through(DATABASE_DIRECT_URL), DATABASE_DIRECT_URL };
  };
  const stop = async () => {
    await pooler.stop();
    await server.stop();
  };
  return { server, pooler, newDatabase, stop };
}

export type Pooled = Awaited<ReturnType<typeof startPooled>>;

/** Until the end of the test. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
