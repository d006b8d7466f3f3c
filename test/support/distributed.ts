import type { TestProject } from 'vitest/node';
import { model } from '../../mikro-orm.config.js';
import { distribute, distributionOf } from '../../src/database/distributed/distribute.js';
import { layoutOf } from '../../src/database/distributed/layout.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { dropOnNodes, newOnNodes } from './citus.js';

/** The database of TEST_DATABASE_URL tells the nodes; the tests make databases of their own on them. */
export default async function setup(project: TestProject) {
  const url = process.env.TEST_DATABASE_URL ?? '';
  await dropOnNodes(url); // of a run that was broken off
  project.provide('template', { url, isDistributed: true });
  return () => dropOnNodes(url);
}

/** A migrated and distributed database, otherwise empty. */
export async function newDistributed(coordinator: string, suffix: string): Promise<string> {
  const url = await newOnNodes(coordinator, suffix);
  const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const query = database.query();
  await distribute(query, await distributionOf(query, layoutOf(database.orm)));
  await database.close();
  return url;
}
