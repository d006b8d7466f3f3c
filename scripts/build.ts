import { build, outdated, PARTS } from './dist.ts';

const needed = process.argv.includes('--if-needed') ? outdated() : PARTS;
process.exitCode = needed.length === 0 || (await build(needed)) ? 0 : 1;
