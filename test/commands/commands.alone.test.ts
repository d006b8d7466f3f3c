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

/** What each says when it is called in each of these ways: the service in its own process, all others in one. */
async function sayOf(...ways: string[][]): Promise<Map<string, Ended[]>> {
  const environment = nowhere();
  const own = commands.filter(({ file }) => file !== 'main');
  const called = own.flatMap(({ file }) => ways.map((args) => ({ script: path.basename(file), args })));
  const services = ways.map((args) => run('main.js', environment, args));
  const ended = await inOneProcess(called, environment);
  const said = own.map(({ name }, index) => [name, ended.slice(index * ways.length)] as const);
  const codes = await Promise.all(services.map(({ exited }) => exited));
  const ofService = services.map(({ output }, index) => ({ code: codes[index] ?? -1, output }));
  expect(existsSync(environment.DATA_DIR)).toBe(false);
  return new Map([...said, ['start', ofService]]);
}

describe('Every command', () => {
  it('is known to `steady`, or to developers alone, and one of a feature declared by the name of its file', () => {
    const namesOf = (pattern: string, ending: string) =>
      globSync(pattern).map((file) => path.basename(file, ending));
    expect(namesOf('src/features/**/*.command.ts', '.command.ts').sort()).toEqual([...declared].sort());
    const shared = ['command', 'declared', 'report', 'table'];
    const files = [...namesOf('src/operation/commands/*.ts', '.ts'), ...declared, 'main'];
    expect(commands.map(({ file }) => path.basename(file)).sort()).toEqual(
      files.filter((file) => !shared.includes(file)).sort(),
    );
  });

  it('explains itself when asked for --help, and refuses an unknown argument, without a database', async () => {
    const said = await sayOf(['--no=idea', '--help'], ['--fixx']);
    for (const { name, call } of commands) {
      const [help, refused] = said.get(name) ?? [];
      expect(help, name).toMatchObject({ code: 0 });
      const text = help?.output ?? '';
      expect(text).toMatch(new RegExp(`^${call}( .+)?\n\n[A-Z][^]+[.a-z0-9]\n$`));
      const [, examples = ''] = /^Examples:\n((?: {2}.+\n)+)/m.exec(text) ?? [];
      expect(examples, name).toMatch(new RegExp(`^(  ${call}( .+)?\n)+$`));
      expect(text).toMatch(/^Exit codes:\n {2}0 {2}\S[\s\S]{3,}\n {2}1 {2}\S.{3}/m);
      expect(refused, name).toEqual({
        code: 1,
        output: expect.stringMatching(/^Unknown (option|argument) '--fixx'\. Allowed: .+\n$/),
      });
    }
  });
});

const said = (given: string) => {
  try {
    const text = { type: 'string' } as const;
    const options = { from: text, to: text, 'dry-run': { type: 'boolean' } } as const;
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

it('Progress is a line every two seconds on a terminal, and silent in a pipe', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const [tell, tellNobody] = [progressLines({ isTTY: true }), progressLines({ isTTY: false })];
    for (let users = 100; users <= 500; users += 100) {
      vi.advanceTimersByTime(1_000);
      for (const each of [tell, tellNobody]) each(() => `users: ${users}`);
    }
    expect(printed.mock.calls).toEqual([['  users: 200'], ['  users: 400']]);
  } finally {
    printed.mockRestore();
    vi.useRealTimers();
  }
});
