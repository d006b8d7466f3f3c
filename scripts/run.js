// `node scripts/run.js NAME [ARGUMENTS]`: builds what is outdated, then runs the service (`start`), a command of
// src/operation/commands, a benchmark (`bench NAME`), made-up users (`seed`), or a script beside this one. Plain JavaScript: an older Node must be able to
// say that it is too old.
import './prerequisites.js';

const { isBuilt } = await import('./build.ts');
const { become } = await import('../bin/become.js');
const { heapOf, MALLOC } = await import('../bin/node-options.js');

const [name = '', ...given] = process.argv.slice(2);

/** They build by themselves. */
const SCRIPTS = ['dev', 'check', 'check-quick', 'test-all'];

/** They run on what is built. */
const OF_DEVELOPERS = [
  ['bench', 'bench/run.ts'],
  ['seed', 'scripts/seed/seed.ts'],
];

function argumentsOfNode() {
  if (SCRIPTS.includes(name)) return [`scripts/${name}.ts`, ...given];
  const [, ofDevelopers] = OF_DEVELOPERS.find(([script]) => script === name) ?? [];
  if (ofDevelopers) return [ofDevelopers, ...given];
  const script = name === 'start' ? 'main.js' : `operation/commands/${name}.js`;
  return [...heapOf(script), `dist/src/${script}`, ...given];
}

const args = argumentsOfNode();
if (SCRIPTS.includes(name) || (await isBuilt())) {
  become(args, name === 'start' ? { ...MALLOC, ...process.env } : process.env);
} else process.exitCode = 1;
