import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { model } from '../../mikro-orm.config.js';
import { openEngine } from '../../src/database/embedded/open.js';

/** Keeps a migrated database as a file, from which every worker gets a copy. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-template-'));
  const file = path.join(folder, 'database.tar');
  const { orm, engine } = await openEngine(model, 'memory://');
  await orm.migrator.up();
  const dump = await engine.dumpDataDir('none');
  writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
  await orm.close(true);
  await engine.close();
  project.provide('template', { kind: 'embedded', file });
  return () => rmSync(folder, { recursive: true });
}
