import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';

/**
 * Tells the service worker which files make up the page, and a version that changes with any of them: a changed
 * worker is what makes browsers fetch the new page.
 */
const shell = (): Plugin => ({
  name: 'shell',
  writeBundle({ dir = '' }, bundle) {
    const assets = Object.keys(bundle).filter((name) => name.startsWith('assets/'));
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
    const known = `const ASSETS=${JSON.stringify(assets)},VERSION="${version}";`;
    writeFileSync(worker, `${known}\n${readFileSync(worker, 'utf8')}`);
  },
});

export default defineConfig({
  base: './', // the page gets its path when it is served
  plugins: [shell()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'steady', development: false } },
  resolve: { alias: { 'steady/jsx-runtime': path.join(import.meta.dirname, 'draw.ts') } },
  build: {
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no data URLs
    rolldownOptions: {
      input: {
        page: path.join(import.meta.dirname, 'index.html'),
        'service-worker': path.join(import.meta.dirname, '../worker/service-worker.ts'),
        'leaving-worker': path.join(import.meta.dirname, '../worker/leaving-worker.ts'),
      },
      output: {
        entryFileNames: ({ name }) => (name.endsWith('-worker') ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
