import { spawnSync } from 'node:child_process';

// `npm run test:distributed`: both faces on a database with Citus and worker nodes, which TEST_DATABASE_URL names.

if (process.env.TEST_DATABASE_URL) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'distributed', ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit' }).status ?? 1;
} else {
  console.log('Skipped: TEST_DATABASE_URL names no database with Citus. See docs/citus.md.');
}
