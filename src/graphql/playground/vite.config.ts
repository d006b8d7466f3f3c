import { defineConfig } from 'vite';

export default defineConfig({
  base: '/graphql-playground/',
  worker: { format: 'es' },
  build: {
    outDir: '../../../dist/playground',
    emptyOutDir: true,
    chunkSizeWarningLimit: 5_000, // kB: Monaco is what it is
    rolldownOptions: { checks: { moduleLevelDirective: false } }, // dozens of "use client"
  },
});
