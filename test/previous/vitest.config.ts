import path from 'node:path';
import { differences } from './differences.ts';

// The last release's tests on a PostgreSQL server whose tables are those of this release. Run by
// `npm run test:all -- previous` with the folder of that release as root.

const root = process.cwd();

interface Project {
  test?: { name?: string; globalSetup?: string[] };
}

const { default: configOf } = await import(path.join(root, 'vitest.config.ts'));
const config = configOf({ mode: 'all', command: 'serve' });
const project: Project = config.test.projects.find(({ test }: Project) => test?.name === 'postgresql');
project.test = { ...project.test, globalSetup: [path.join(import.meta.dirname, 'on-next-tables.ts')] };

const known = Object.values(differences)
  .flat()
  .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '(?: > | )'));
const testNamePattern = new RegExp(`^(?!.*(?:${known.join('|')}))`);

export default { ...config, root, test: { ...config.test, projects: [project], testNamePattern } };
