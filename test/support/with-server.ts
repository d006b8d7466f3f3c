import { randomUUID } from 'node:crypto';
import { beforeAll } from 'vitest';
import { type PostgresServer, startPostgres } from './server.js';

export interface ServerOfTests extends PostgresServer {
  /** The address of a new database: a copy of `template1`, unless `options` say otherwise. */
  newDatabase: (options?: string) => Promise<string>;
}

/** A server while the tests of this file, or of this `describe`, run. */
export function withServer(settings?: Record<string, string>): ServerOfTests {
  const server = {
    newDatabase: async (options = '') => {
      const name = `own_${randomUUID().replaceAll('-', '')}`;
      await server.execute(`create database ${name} ${options}`);
      return server.url(name);
    },
  } as ServerOfTests;
  beforeAll(async () => Object.assign(server, await startPostgres(settings)).stop);
  return server;
}
