// `node scripts/build.js [--if-needed]`: builds the service and its pages from the sources into dist.
import './prerequisites.js';

const { isBuilt, isBuiltAnew } = await import('./build.ts');
const isDone = await (process.argv.includes('--if-needed') ? isBuilt() : isBuiltAnew());
process.exitCode = isDone ? 0 : 1;
