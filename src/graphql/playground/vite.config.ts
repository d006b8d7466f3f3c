import { defineConfig } from 'vite';

export default defineConfig({
  base: '/graphql-playground/',
  worker: { format: 'es' },
  build: {
    chunkSizeWarningLimit: 5_000, // kB: Monaco is what it is
    rolldownOptions: { checks: { moduleLevelDirective: false } }, // dozens of "use client"
  },
});
