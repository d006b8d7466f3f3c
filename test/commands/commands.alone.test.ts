import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { COMMANDS } from '../../bin/command-line.js';
import { argumentsOf, subcommandOf, UsageError } from '../../src/base/commands/arguments.js';
import { progressLines } from '../../src/base/commands/report.js';
import { features } from '../../src/features.js';
import { type Ended, inOneProcess } from '../support/commands.js';
import { run, temporaryFolder } from '../support/process.js';

const declared = features.flatMap(({ commands = {} }) => Object.keys(commands));

/** What runs something of src, each with that file. */
const commands = [
  { name: 'start', file: 'main', call: 'steady' },
  ...Object.keys(COMMANDS).map((name) => ({
    name,
    file: `operation/commands/${name.replace(' ', '-')}`,
    call: `steady ${name}`,
  })),
  { name: 'generate', file: 'operation/commands/generate', call: 'npm run generate' },
];

const nowhere = () => ({
  DATA_DIR: temporaryFolder(),
  DATABASE_URL: 'postgres://postgres@127.0.0.1:1/steady',
  PORT: 'none',
});

/** What each says: those that open something in one process, the service in its own. */
async function sayOf(args: string[]): Promise<Map<string, Ended>> {
  const environment = nowhere();
  const own = commands.filter(({ file }) => file !== 'main');
  const called = own.map(({ file }) => ({ script: path.basename(file), args }));
  const service = run('main.js', environment, args);
  const ended = await inOneProcess(called, environment);
  const said = new Map(own.map(({ name }, index) => [name, ended[index] as Ended]));
  said.set('start', { code: (await service.exited) ?? -1, output: service.output });
  expect(existsSync(environment.DATA_DIR)).toBe(false);
  return said;
}

const oneLine = (text = '') => text.replaceAll(/\s+/g, ' ').trim();

/** What a help says of its exit codes. */
function exitsIn(help: string): [done: string, failed: string] {
  const [, done, failed] = /^Exit codes:\n {2}0 {2}([\s\S]+)\n {2}1 {2}([\s\S]+)$/m.exec(help) ?? [];
  return [oneLine(done), oneLine(failed)];
}

describe('Every command', () => {
  let helps: ReturnType<typeof sayOf> | undefined;

  /** Asked once. */
  const help = async ({ name }: { name: string }): Promise<string> => {
    helps ??= sayOf(['--no=idea', '--help']);
    const { code, output } = (await helps).get(name) as Ended;
    expect(code, output).toBe(0);
    return output;
  };

  it('is known to `steady`, or to developers alone', () => {
    const files = globSync('src/operation/commands/*.ts').map(
      (file) => `operation/commands/${path.basename(file, '.ts')}`,
    );
    const shared = ['command', 'declared', 'report', 'table'].map((name) => `operation/commands/${name}`);
    const ofFeatures = declared.map((name) => `operation/commands/${name}`);
    expect(commands.map(({ file }) => file).sort()).toEqual(
      [...files.filter((file) => !shared.includes(file)), ...ofFeatures, 'main'].sort(),
    );
  });

  it('of a feature is declared by the name of its file, in the folder of that feature', () => {
    const inFolders = globSync('src/features/**/*.command.ts').map((file) =>
      path.basename(file, '.command.ts'),
    );
    expect(inFolders.sort()).toEqual([...declared].sort());
  });

  it.each(commands)('explains itself when asked for --help, without a database: $name', async (command) => {
    const { call } = command;
    const text = await help(command);
    expect(text).toMatch(new RegExp(`^${call}( .+)?\n\n[A-Z][^]+[.a-z0-9]\n$`));
    const examples = [...(/^Examples:\n((?: {2}.+\n)+)/m.exec(text)?.[1]?.matchAll(/^ {2}(.+)$/gm) ?? [])];
    expect(examples.length).toBeGreaterThan(0);
    for (const [, example = ''] of examples) expect(example).toMatch(new RegExp(`^${call}( .+)?$`));
    expect(exitsIn(text).every((meaning) => meaning.length > 3)).toBe(true);
  });

  it.each(['--fixx'])('refuses an unknown argument, and does nothing: %s', async (given) => {
    for (const [name, { code, output }] of await sayOf([given])) {
      expect(code, name).toBe(1);
      expect(output).toMatch(new RegExp(`^Unknown (option|argument) '${given}'\\. Allowed: .+\\n$`));
    }
  });
});

const said = (given: string) => {
  try {
    const options = {
      from: { type: 'string' },
      to: { type: 'string' },
      'dry-run': { type: 'boolean' },
    } as const;
    return argumentsOf({ operands: ['FILE'], options }, given.split(' '));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

const ALLOWED = 'Allowed: FILE --from --to --dry-run';

describe('The arguments of a command', () => {
  it('are read in any order, with = or without', () => {
    for (const given of ['a --from b', '--from=b a'])
      expect(said(given)).toEqual({ operands: ['a'], values: { from: 'b' } });
    expect(said('--dry-run --from - a')).toEqual({
      operands: ['a'],
      values: { from: '-', 'dry-run': true },
    });
    expect(subcommandOf(['list', 'create'], ['list', '--json'])).toEqual({ word: 'list', args: ['--json'] });
  });

  it.each([
    ['a --form b', `Unknown option '--form'. ${ALLOWED}`],
    ['a --__proto__=b', `Unknown option '--__proto__'. ${ALLOWED}`],
    ['a b', `Unknown argument 'b'. ${ALLOWED}`],
    ['a --dry-run=yes', "Option '--dry-run' does not take an argument"],
    ['a --from', "Option '--from <value>' argument missing"],
    ['a --from --dry-run', "Option '--from' argument is ambiguous"],
    ['a --to=', '--to needs a value'],
    ['a --from b --from c', '--from is given twice'],
    ['--from b', 'FILE is missing'],
  ])('are refused in one line where they are wrong: %s', (given, line) => {
    expect(said(given)).toBe(line);
  });
});

describe('Progress', () => {
  it.each([
    ['is a line every two seconds on a terminal', true, ['  users: 200', '  users: 400']],
    ['is silent in a pipe', false, []],
  ])('%s', (_how, isTTY, lines) => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const tell = progressLines({ isTTY });
      for (let users = 100; users <= 500; users += 100) {
        vi.advanceTimersByTime(1_000);
        tell(() => `users: ${users}`);
      }
      expect(printed.mock.calls.map(([line]) => line)).toEqual(lines);
    } finally {
      printed.mockRestore();
      vi.useRealTimers();
    }
  });
});
