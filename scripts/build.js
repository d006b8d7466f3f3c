// `node scripts/build.js [--if-needed]`: builds the service and its pages from the sources into dist, and the package of
// clients into packages/client/dist.
import './prerequisites.js';

const { isBuilt, isBuiltAnew } = await import('./build.ts');
const { buildClient, isClientBuilt } = await import('./client-package.ts');
const isIfNeeded = process.argv.includes('--if-needed');
const isDone = await (isIfNeeded ? isBuilt() : isBuiltAnew());
process.exitCode = isDone && (await (isIfNeeded ? isClientBuilt() : buildClient())) ? 0 : 1;
