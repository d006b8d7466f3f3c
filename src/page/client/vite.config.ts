import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Each is a file of its own. */
const LANGUAGES = ['en', 'de', 'es', 'fr', 'pt-br'];

/** Few visits open them, and without the service there is nothing to do in them: no device keeps them. */
const OF_SERVICE = /\/(?:later-|opened-link|starters)/;

/**
 * Tells the service worker which files make up the page, and a version that changes with any of them: a changed
 * worker is what makes browsers fetch the new page.
 */
const shell = (): Plugin => ({
  name: 'shell',
  writeBundle({ dir = '' }, bundle) {
    const assets = Object.keys(bundle)
      .filter((name) => name.startsWith('assets/'))
      .sort();
    const worker = path.join(dir, 'service-worker.js');
    const open = path.join(import.meta.dirname, 'public');
    // The assets have their hash in their name. What is kept has the headers that page.ts gives it.
    const others = [
      ...[path.join(dir, 'index.html'), worker, path.join(import.meta.dirname, '../page.ts')],
      ...readdirSync(open)
        .sort()
        .map((name) => path.join(open, name)),
    ];
    const hash = createHash('sha256').update(assets.join());
    for (const file of others) hash.update(readFileSync(file));
    const version = hash.digest('hex').slice(0, 12);
    const ofLanguages = Object.entries(bundle).flatMap(([name, { name: chunk = '' }]) =>
      LANGUAGES.includes(chunk) ? [[chunk.replace('-', '_').toUpperCase(), `page/${name}`]] : [],
    );
    const languages: Record<string, string> = Object.fromEntries(ofLanguages);
    const files = [...assets, 'icon.svg', 'manifest.webmanifest']
      .map((name) => `page/${name}`)
      .filter((name) => !(Object.values(languages).includes(name) || OF_SERVICE.test(name)));
    const parts = [`FILES=${JSON.stringify(files)}`, `LANGUAGES=${JSON.stringify(languages)}`];
    const known = `const ${parts.join()},VERSION="${version}";`;
    writeFileSync(worker, `${known}\n${readFileSync(worker, 'utf8')}`);
  },
});

/** What suits one file or another a little better than what brotli would choose. */
const CLOSER = [
  [0, 0],
  [0, 4],
  [1, 2],
  [2, 4],
  [2, 8],
].map(([postfix, direct]) => ({
  params: { [constants.BROTLI_PARAM_NPOSTFIX]: postfix ?? 0, [constants.BROTLI_PARAM_NDIRECT]: direct ?? 0 },
}));

const smallest = (content: Buffer): Buffer =>
  CLOSER.map((how): Buffer => brotliCompressSync(content, how)).reduce((one, other) =>
    other.length < one.length ? other : one,
  );

/** Once for all who ask: in each encoding that browsers read. */
const compressed = (): Plugin => ({
  name: 'compressed',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((each) => each.startsWith('assets/'))) {
      const file = path.join(dir, name);
      const content = readFileSync(file);
      writeFileSync(`${file}.br`, smallest(content));
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});

const OF_DIALOGS =
  /(?:month|pause-form|habit|account|account-form|challenge-card|task-form|form|forgotten|sure|ways-in|later-documents|mutation|changes|undo|skipping|weekdays)\.\w+$/;

/** Pages whose browser rings need them without the views, and without a network where somebody logs out. */
const OF_RINGING = /\/(?:push|reminders|reminders-documents|later-words)\.ts$/;

/**
 * What the list needs, by its root, is one file: two are larger, and nothing is shown before both are there. Each
 * language needs `wording`, and the year, which follows the list, `day-keys`.
 */
const OF_LIST = /\/(?:main\.tsx|wording\.ts|day-keys\.ts)$/;

/** Without the spaces that only those need who read it. What is put in keeps those around it. */
const shortened = (text: string) =>
  text.replace(/\s+/g, ' ').replace(/ (?=[{}():,])|(?<=[{}():,])(?<!\$\{\w+\}) /g, '');

const shortDocuments = (): Plugin => ({
  name: 'short-documents',
  transform: (code, file) =>
    /documents\.ts$/.test(file) ? code.replace(/`[^`]+`|'[^'\n]+'/g, shortened) : undefined,
});

/** How parts of the page are loaded. Vite's own way is for older browsers too, and 660 bytes larger. */
const shortPreload = (): Plugin => ({
  name: 'short-preload',
  enforce: 'pre',
  resolveId: (id) =>
    id === '\0vite/preload-helper.js' ? path.join(import.meta.dirname, 'shell/preload.ts') : undefined,
  // Each part is unpacked for Vite to leave out what nobody takes of it. Here that is done.
  renderChunk: (code) =>
    code
      .replace(/async \(\) => \{\s+const (\{[^}]+\}) = await (import\([^;]+);\s+return \1;\s+\}/g, '() => $2')
      .replaceAll('__VITE_PRELOAD__, import.meta.url', '__VITE_PRELOAD__'),
});

export default defineConfig({
  base: './', // the page gets its path when it is served
  plugins: [shortPreload(), shortDocuments(), shell(), compressed()],
  build: {
    modulePreload: { polyfill: false },
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'], // older ones would need colours twice
    assetsInlineLimit: 0, // the content security policy allows no data URLs
    rolldownOptions: {
      checks: { bundlerTimings: false }, // `npm start` builds: a warning on its first screen would worry
      input: {
        page: path.join(import.meta.dirname, 'index.html'),
        'service-worker': path.join(import.meta.dirname, '../worker/service-worker.ts'),
        'leaving-worker': path.join(import.meta.dirname, '../worker/leaving-worker.ts'),
      },
      output: {
        codeSplitting: {
          groups: [
            { name: 'list', test: OF_LIST, priority: 2 },
            // One file, not ten.
            { name: 'dialogs', test: OF_DIALOGS, priority: 1 },
            { name: 'ringing', test: OF_RINGING, minShareCount: 2 },
          ],
        },
        entryFileNames: ({ name }) => (name.endsWith('-worker') ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
