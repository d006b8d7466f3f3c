import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PgliteConnection } from '@mikro-orm/pglite';
import type { TestProject } from 'vitest/node';
import { openInMemory } from './database.js';

/** Keeps a migrated database as a file, from which every worker gets a copy. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-template-'));
  const file = path.join(folder, 'database.tar');
  const database = await openInMemory();
  await database.orm.migrator.up();
  const pglite = await (database.orm.em.getConnection() as unknown as PgliteConnection).getNativeClient();
  const dump = await pglite.dumpDataDir('none');
  writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
  await database.close();
  project.provide('template', { kind: 'embedded', file });
  return () => rmSync(folder, { recursive: true });
}
