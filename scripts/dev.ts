import { spawnSync } from 'node:child_process';

// `npm run dev`: restarted by node --watch whenever a source changes.
const { status } = spawnSync('node', ['scripts/build.ts', '--if-needed'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const service: string = '../dist/src/main.js'; // not there while this file is checked
await import(service);
