import { readFileSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';

const root = path.dirname(module.findPackageJSON(import.meta.url) ?? '');

/** A file of this project, whether the service runs from the bundle in `dist`, from its modules or from the sources. */
export const projectFile = (name: string): string => path.join(root, name);

interface Manifest {
  version: string;
  description: string;
}

/** What package.json says of this release. */
export const manifest = (): Manifest => JSON.parse(readFileSync(projectFile('package.json'), 'utf8'));

/** A file that Node is started with, named without its extension. */
export const entryFile = (name: string): string =>
  projectFile(import.meta.url.endsWith('.ts') ? `src/${name}.ts` : `dist/src/${name}.js`);
