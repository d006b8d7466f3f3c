// `node scripts/run.js NAME [ARGUMENTS]`: builds what is outdated, then runs a benchmark (`bench NAME`), made-up users
// (`seed`) or the generator of documents (`generate`), or a script beside this one, which builds by itself. Plain
// JavaScript: an older Node must be able to say that it is too old.
import './prerequisites.js';

const { isBuilt } = await import('./build.ts');
const { become } = await import('../bin/become.js');

const [name = '', ...given] = process.argv.slice(2);

/** They run on what is built. */
const ON_BUILT = {
  bench: 'bench/run.ts',
  seed: 'scripts/seed/seed.ts',
  generate: 'dist/src/operation/commands/generate.js',
};

const script = ON_BUILT[name];
if (!script || (await isBuilt())) become([script ?? `scripts/${name}.ts`, ...given], process.env);
else process.exitCode = 1;
