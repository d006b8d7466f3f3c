import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
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
    const html = readFileSync(path.join(dir, 'index.html'));
    const version = createHash('sha256').update(assets.join()).update(html).digest('hex').slice(0, 12);
    const worker = path.join(dir, 'service-worker.js');
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
      },
      output: {
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? 'service-worker.js' : 'assets/[name]-[hash].js',
      },
    },
  },
});
