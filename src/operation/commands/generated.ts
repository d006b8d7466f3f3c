import { readFileSync, writeFileSync } from 'node:fs';
import { argumentsOf } from '../../base/commands/arguments.js';
import { carryOut } from './command.js';

const helpOf = (script: string, file: string, what: string) => `npm run ${script} -- [--check]

Writes ${what} that the code declares to ${file}.

--check  only compares

Examples:
  npm run ${script}
  npm run ${script} -- --check

Exit codes:
  0  the file is what the code declares
  1  with --check: it is not`;

interface Generated {
  script: string;
  file: string;
  /** In words. */
  what: string;
  declared: () => string;
}

/** Writes a generated file that is committed. With --check it only compares. */
export const writeOrCheck = ({ script, file, what, declared }: Generated): Promise<void> =>
  carryOut(
    helpOf(script, file, what),
    () => argumentsOf({ options: { check: { type: 'boolean' } } }).values,
    async ({ check }) => {
      if (!check) writeFileSync(file, declared());
      else if (readFileSync(file, 'utf8') !== declared()) {
        console.error(
          `${file} is not what the code declares: run \`npm run ${script}\` and commit the result.`,
        );
        return 1;
      }
      return 0;
    },
  );
