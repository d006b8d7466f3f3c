import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { copied, launch, ofPage } from './process.js';
import { browserPath } from './tools.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the service that most tests of the page share; empty without a browser. */
    stage: string;
  }
}

/** Starts one service for all files of the page that need no settings of their own. */
export default async function setup(project: TestProject) {
  project.provide('stage', '');
  if (!browserPath) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  const { dataDirectory } = project.getProvidedContext();
  const settings = { ...ofPage(copied(dataDirectory, folder)), BACKDATE_HOURS: '480' };
  const service = launch('dist/src/main.js', settings);
  const { base } = await service.listening();
  project.provide('stage', base);
  return async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
