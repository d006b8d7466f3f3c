import type { TestProject } from 'vitest/node';
import { model } from '../../mikro-orm.config.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { startPostgres } from './server.js';

/** Starts a server with a migrated database on it, from which every worker gets a copy. */
export default async function setup(project: TestProject) {
  const server = await startPostgres();
  await server.execute('create database template_steady');
  const database = await openServer(model, {
    url: server.url('template_steady'),
    poolSize: 1,
    patience: unhurried,
  });
  await database.close();
  project.provide('template', { kind: 'postgresql', url: server.url('template_steady') });
  return server.stop;
}
