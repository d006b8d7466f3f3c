import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { CLUSTER, clusterHome, makeCluster } from './server.js';

declare module 'vitest' {
  interface ProvidedContext {
    dataDirectory: string;
  }
}

/** Makes a data directory with an empty database in it and an empty cluster, which take longer than copying them. */
export default function setup(project: TestProject) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-prepared-'));
  const DATA_DIR = path.join(folder, 'data');
  const environment = { PATH: process.env.PATH, DATA_DIR };
  const made = spawnSync(process.execPath, ['dist/src/commands/migrate.js'], {
    env: environment,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
  project.provide('dataDirectory', DATA_DIR);
  const home = clusterHome();
  process.env[CLUSTER] = path.join(home, 'data');
  makeCluster(path.join(home, 'data'));
  return () => {
    for (const made of [folder, home]) rmSync(made, { recursive: true, force: true });
  };
}
