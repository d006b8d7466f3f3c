#!/usr/bin/env node
// `steady [COMMAND]`: starts the service, or runs a command of src/operation/commands. Plain JavaScript, as Node reads no
// types in a package that is installed, and a checkout runs the same file.
import './runtime.js';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { root, steady } = await import('./command-line.js');

/** The sources of a checkout are built first where they are newer. The builder works in its own folder. */
async function isBuilt() {
  const builder = new URL('scripts/build.ts', root);
  if (!existsSync(builder)) return true;
  await import(new URL('scripts/prerequisites.js', root));
  const asked = process.cwd();
  process.chdir(fileURLToPath(root));
  const { isBuilt: build } = await import(builder);
  return build().finally(() => process.chdir(asked));
}

if (await isBuilt()) steady(process.argv.slice(2));
else process.exitCode = 1;
