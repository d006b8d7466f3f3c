import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { CLUSTER, clusterHome, makeCluster, serverOn } from './server.js';

declare module 'vitest' {
  interface ProvidedContext {
    dataDirectory: string;
  }
}

/** Makes an empty database of each kind, migrated, because making and migrating one takes longer than copying it. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-prepared-'));
  const DATA_DIR = path.join(folder, 'data');
  migrate({ DATA_DIR });
  project.provide('dataDirectory', DATA_DIR);

  const home = clusterHome();
  const cluster = path.join(home, 'data');
  makeCluster(cluster);
  const server = await serverOn(cluster);
  migrate({ DATABASE_URL: server.url('template1') }); // from which PostgreSQL copies new databases
  await server.halt('fast');
  process.env[CLUSTER] = cluster;
  return () => {
    for (const made of [folder, home]) rmSync(made, { recursive: true, force: true });
  };
}

function migrate(environment: Record<string, string>): void {
  const made = spawnSync(process.execPath, ['dist/src/operation/commands/migrate.js'], {
    env: { PATH: process.env.PATH, ...environment },
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
}
