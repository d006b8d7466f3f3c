import { build, outdated, PARTS } from './dist.ts';

const isAsked = !process.argv.includes('--if-needed');
const needed = isAsked ? PARTS : outdated();
if (!isAsked && needed.length > 0)
  console.error(`Building the ${needed.join(', the ')}: this takes some seconds.`);
process.exitCode = needed.length === 0 || (await build(needed)) ? 0 : 1;
