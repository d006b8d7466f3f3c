// `node scripts/build.js [--if-needed]`: builds the service and its pages from the sources into dist.
import './node-version.js';

await import('./build.ts');
