import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { previousRelease } from '../test/support/previous-release.ts';
import { has, released } from '../test/support/tools.ts';

// `npm run test:previous [-- FILTER…]`: runs the tests of the last release on the tables of this one. What fails there
// would fail in a process of the last release that is not restarted yet.

if (has('the history of the repository')) {
  const { folder, remove } = previousRelease();
  const config = path.resolve('test/previous/vitest.config.ts');
  const vitest = path.resolve('node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', config, ...process.argv.slice(2)],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  );
  remove();
  process.exitCode = status ?? 1;
} else console.log(`${released.version} is not in the history here`);
