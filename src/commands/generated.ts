import { readFileSync, writeFileSync } from 'node:fs';
import { carryOut } from './command.js';
import type { Declaration } from './usage/declaration.js';

/** Of a command that writes a file which is committed. */
export const generating = (script: string, file: string, what: string) =>
  ({
    script,
    does: `Writes ${what} that the code declares to ${file}.`,
    options: { check: { says: 'only compares' } },
    examples: ['', '--check'],
    exits: { 0: 'the file is what the code declares', 1: 'with --check: it is not' },
  }) as const satisfies Declaration;

/** Writes a generated file that is committed. With --check it only compares. */
export const writeOrCheck = (
  declaration: ReturnType<typeof generating>,
  file: string,
  declared: () => string,
): Promise<void> =>
  carryOut(
    declaration,
    ({ given }) => given,
    async ({ check }) => {
      if (!check) writeFileSync(file, declared());
      else if (readFileSync(file, 'utf8') !== declared()) {
        console.error(
          `${file} is not what the code declares: run \`npm run ${declaration.script}\` and commit the result.`,
        );
        return 1;
      }
      return 0;
    },
  );
