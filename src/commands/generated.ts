import { readFileSync, writeFileSync } from 'node:fs';
import { options } from './arguments.js';
import { understood } from './command.js';

/** Writes a generated file that is committed. With --check it only compares. */
export function writeOrCheck(file: string, command: string, declared: () => string): void {
  const { check } = understood(() => options([], ['check']));
  if (!check) {
    writeFileSync(file, declared());
  } else if (readFileSync(file, 'utf8') !== declared()) {
    console.error(`${file} is not what the code declares: run \`${command}\` and commit the result.`);
    process.exit(1);
  }
}
