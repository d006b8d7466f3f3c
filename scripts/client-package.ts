import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const CLIENT = 'packages/client';
const DIST = path.join(CLIENT, 'dist');

/** The hash of the sources that it was built from. It is no part of what is published. */
const BUILT = path.join(CLIENT, '.built');

const ENTRIES = { index: 'index', indexeddb: 'indexeddb', file: 'file', cli: 'cli/main' };

function hashOfSources(): string {
  const hash = createHash('sha256');
  const recipe = [path.join(CLIENT, 'tsconfig.json'), 'package-lock.json', 'scripts/client-package.ts'];
  for (const file of [...globSync(`${CLIENT}/src/**/*.ts`).sort(), ...recipe])
    hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
}

/** Without sources, as in an image, nobody needs it. */
export async function isClientBuilt(): Promise<boolean> {
  if (!existsSync(CLIENT)) return true;
  const isBuilt = existsSync(DIST) && existsSync(BUILT) && readFileSync(BUILT, 'utf8') === hashOfSources();
  return isBuilt || buildClient();
}

/** Builds the package that others install: its types by the compiler, and a file for each of its entries. */
export async function buildClient(): Promise<boolean> {
  if (!existsSync(CLIENT)) return true;
  const { build } = await import('rolldown'); // not there where only production packages are installed
  const hash = hashOfSources();
  const draft = `${DIST}.${process.pid}`;
  try {
    const types = ['-p', CLIENT, '--outDir', draft, '--emitDeclarationOnly'];
    const compiled = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...types], {
      stdio: 'inherit',
    });
    if (compiled.status !== 0) return false;
    const sources = Object.entries(ENTRIES).map(([name, file]) => [name, `${CLIENT}/src/${file}.ts`]);
    await build({
      input: Object.fromEntries(sources),
      platform: 'neutral',
      external: [/^node:/],
      checks: { bundlerTimings: false },
      experimental: { attachDebugInfo: 'none' }, // else comments name the folder of this build
      logLevel: 'warn',
      output: { dir: draft, format: 'esm', chunkFileNames: '[name].js', minify: true, sourcemap: true },
    });
    chmodSync(path.join(draft, 'cli.js'), 0o755);
    rmSync(DIST, { recursive: true, force: true });
    renameSync(draft, DIST);
    writeFileSync(BUILT, hash);
    return true;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
