import type { TestProject } from 'vitest/node';
import { model } from '../../mikro-orm.config.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { startPgBouncer } from './pgbouncer.js';
import { startPostgres } from './server.js';

/** Where sessions have no settings of the service's, the server's own are those of nobody. */
const STRANGE = { timezone: 'Asia/Kathmandu' };

/**
 * Starts a server with a migrated database on it, from which every worker gets a copy. With TEST_POOLER=pgbouncer all
 * that a request sends goes through a pooler.
 */
export default async function setup(project: TestProject) {
  const hasPooler = process.env.TEST_POOLER === 'pgbouncer';
  const server = await startPostgres(hasPooler ? STRANGE : {});
  await server.execute('create database template_steady');
  const database = await openServer(model, {
    url: server.url('template_steady'),
    poolSize: 1,
    patience: unhurried,
  });
  await database.close();
  const url = server.url('template_steady');
  const pooler = hasPooler ? await startPgBouncer(url) : undefined;
  project.provide('template', { url, pooler: pooler?.through(url) });
  return async () => {
    await pooler?.stop();
    await server.stop();
  };
}
