import { spawnSync } from 'node:child_process';

// `npm run dev`: restarted by node --watch whenever a source changes.
spawnSync('node', ['scripts/build.ts', '--if-needed'], { stdio: 'inherit' });
const service: string = '../dist/src/main.js'; // not there while this file is checked
await import(service);
