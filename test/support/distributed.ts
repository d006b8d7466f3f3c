import type { TestProject } from 'vitest/node';
import { model } from '../../mikro-orm.config.js';
import { distribute, distributionOf } from '../../src/database/distribution.js';
import { openServer, unhurried } from '../../src/database/server/open.js';

/** Distributes the database of TEST_DATABASE_URL, which all tests share: one with worker nodes is not quickly copied. */
export default async function setup(project: TestProject) {
  const url = process.env.TEST_DATABASE_URL ?? '';
  const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const query = database.query();
  await distribute(query, await distributionOf(query));
  await database.close();
  project.provide('template', { kind: 'postgresql', url, isShared: true });
}
