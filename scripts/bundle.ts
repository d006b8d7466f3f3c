import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'rolldown';

/** The files that Node is started with, and what commands share. What several of them import goes into chunks. */
const ENTRIES = [
  'src/main.js',
  'src/operation/commands/*.js',
  'src/base/passwords/hash-worker.js',
  'src/features/export-import/file-worker.js',
];

/** Commands that features declare, each started by a file of its own beside the others. */
const COMMANDS = 'src/features/**/*.command.js';

/** OpenTelemetry only finds packages that are not in the bundle. */
const EXTERNAL = ['pg'];

/**
 * Bundles compiled modules with the packages that they use, because Node would spend more than half of a start on
 * looking for 1,900 files.
 */
export async function bundle(modules: string, outDir: string): Promise<void> {
  const { build } = await import('rolldown'); // not there where only production packages are installed
  const entries = globSync(ENTRIES, { cwd: modules }).map((file) => file.replaceAll(path.sep, '/'));
  const declared = globSync(COMMANDS, { cwd: modules }).map((file) => path.basename(file, '.command.js'));
  await build({
    input: Object.fromEntries([
      ...entries.map((file) => [file.replace(/\.js$/, ''), path.join(modules, file)]),
      ...declared.map((name) => [`src/operation/commands/${name}`, `${DECLARED}${name}`]),
    ]),
    platform: 'node',
    external: EXTERNAL,
    resolve: { mainFields: ['main'] }, // as Node resolves: `module` would load a second copy of graphql
    plugins: [commandsOf(path.resolve(modules)), sourceMapsOf(path.resolve(modules)), narrow],
    checks: { bundlerTimings: false },
    experimental: { attachDebugInfo: 'none' }, // else comments name the folder of this build
    logLevel: 'warn',
    output: {
      dir: outDir,
      format: 'esm',
      comments: false, // V8 keeps the text of all that runs; LICENSES-OF-OTHERS has what must be told
      keepNames: true, // of entities and of classes in the schema
      sourcemap: true,
      entryFileNames: '[name].js',
      chunkFileNames: 'src/chunks/[name].js',
    },
  });
}

const DECLARED = '\0command:';

const commandsOf = (modules: string): Plugin => ({
  name: 'commands',
  resolveId: (id) => (id.startsWith(DECLARED) ? id : null),
  load(id) {
    if (!id.startsWith(DECLARED)) return null;
    const runner = JSON.stringify(path.join(modules, 'src/operation/commands/declared.js'));
    const name = JSON.stringify(id.slice(DECLARED.length));
    return `import { carryOutDeclared } from ${runner};\nawait carryOutDeclared(${name});`;
  },
});

/** One character beyond Latin-1 would double what the text of a chunk takes: five megabytes at rest, with the comments. */
const narrow: Plugin = {
  name: 'narrow',
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      file.code = file.code.replaceAll(
        /\\[^\u0100-\uffff]|\\?([\u0100-\uffff])/g,
        (found: string, wide?: string) =>
          wide === undefined ? found : `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/** Stack traces name our sources; packages need no map, and theirs would be large. */
const sourceMapsOf = (modules: string): Plugin => ({
  name: 'source-maps',
  load(file) {
    if (!file.endsWith('.js')) return null;
    const isOurs = path.resolve(file).startsWith(modules);
    const map = isOurs ? readFileSync(`${file}.map`, 'utf8') : { mappings: '' };
    return { code: readFileSync(file, 'utf8'), map };
  },
});
