import { spawnSync } from 'node:child_process';

// `npm run check [-- NAME…]`: what a change must pass, or some of it.

const checks: Record<string, string[]> = {
  types: [
    'tsc --noEmit',
    'tsc -p test',
    'tsc -p src/graphql/playground',
    'tsc -p src/page/client',
    'tsc -p src/page/worker',
    'tsc --noEmit -p packages/client',
  ],
  code: ['biome check --error-on-warnings .'],
  schema: ['node scripts/run.js generate --check', 'node scripts/schema-changes.ts'],
  examples: ['node examples/codegen.ts --check', 'node examples/openapi-types.ts --check', 'tsc -p examples'],
  tests: ['npm test', 'npm run test:page'],
};

const given = process.argv.slice(2);
const names = given.length > 0 ? given : Object.keys(checks);
const unknown = names.find((name) => !Object.hasOwn(checks, name));
if (unknown !== undefined)
  console.error(`There is no check ${unknown}. There are: ${Object.keys(checks).join(', ')}`);
const commands = names.flatMap((name) => checks[name] ?? []);
const hasPassed =
  unknown === undefined &&
  commands.every((command) => spawnSync(command, { shell: true, stdio: 'inherit' }).status === 0);
if (!hasPassed) process.exitCode = 1;
