import { defineConfig } from 'vite';

export default defineConfig({
  base: './', // the page gets its path when it is served
  worker: { format: 'es' },
  build: {
    chunkSizeWarningLimit: 5_000, // in kB: Monaco is that large
    rolldownOptions: { checks: { moduleLevelDirective: false, bundlerTimings: false } }, // warns of dozens of "use client"
  },
});
