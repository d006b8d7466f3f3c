import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface Called {
  /** Below `dist/src/commands`, without its ending. */
  script: string;
  args: readonly string[];
}

export interface Ended {
  code: number;
  output: string;
}

/** Runs in the process; a command ends by its last line, or by `process.exit`. */
const HARNESS = `
  class Exit extends Error {}
  process.exit = (code) => {
    process.exitCode = code;
    throw new Exit();
  };
  const ended = [];
  for (const [index, { script, args }] of JSON.parse(process.argv[1]).entries()) {
    let output = '';
    console.log = console.error = (line) => (output += line + '\\n');
    process.exitCode = 0;
    process.argv = [process.execPath, script, ...args];
    try {
      await import(new URL('dist/src/commands/' + script + '.js?' + index, 'file://' + process.cwd() + '/'));
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    }
    ended.push({ code: process.exitCode, output });
  }
  process.exitCode = 0;
  process.stdout.write(JSON.stringify(ended));`;

/** One command after the other, in one process: for those that end before they open anything. */
export async function inOneProcess(
  called: Called[],
  environment: Record<string, string> = {},
): Promise<Ended[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', HARNESS, JSON.stringify(called)],
    { env: { PATH: process.env.PATH, HASH_COST: '4', ...environment }, maxBuffer: 2 ** 26 },
  );
  return JSON.parse(stdout);
}
