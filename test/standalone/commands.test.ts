import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { argumentsOf, UsageError } from '../../src/commands/arguments.js';
import { progressLines } from '../../src/commands/report.js';
import type { Declaration } from '../../src/commands/usage/declaration.js';
import { type Ended, inOneProcess } from '../support/commands.js';
import { run, temporaryFolder } from '../support/process.js';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** The npm scripts that run something of src, each with that file. */
const commands = Object.entries<string>(scripts).flatMap(([name, line]) => {
  const [, word = ''] = /(?:scripts\/run\.js|dist\/src\/commands\/)\s*([\w-]+)/.exec(line) ?? [];
  const file = word === 'start' ? 'main' : `commands/${word}`;
  return word && existsSync(`src/${file}.ts`)
    ? [{ name, file, call: name === 'start' ? 'npm start' : `npm run ${name}` }]
    : [];
});

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

  it('is an npm script', () => {
    const files = globSync('src/commands/*.ts', { exclude: ['**/*.queries.ts'] }).map(
      (file) => `commands/${path.basename(file, '.ts')}`,
    );
    const shared = ['commands/arguments', 'commands/command', 'commands/generated', 'commands/report'];
    expect(commands.map(({ file }) => file).sort()).toEqual(
      [...files.filter((file) => !shared.includes(file)), 'main'].sort(),
    );
  });

  it.each(commands)('explains itself when asked for --help, without a database: $name', async (command) => {
    const { call } = command;
    const text = await help(command);
    expect(text).toMatch(new RegExp(`^${call}( -- .+)?\n\n[A-Z][^]+[.a-z0-9]\n$`));
    const examples = [...(/^Examples:\n((?: {2}.+\n)+)/m.exec(text)?.[1]?.matchAll(/^ {2}(.+)$/gm) ?? [])];
    expect(examples.length).toBeGreaterThan(0);
    for (const [, example = ''] of examples) expect(example).toMatch(new RegExp(`^${call}( -- .+)?$`));
    expect(exitsIn(text).every((meaning) => meaning.length > 3)).toBe(true);
  });

  it('stands in docs/commands.md, with its help', async () => {
    const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    const rows: string[] = [];
    const details: string[] = [];
    for (const command of commands) {
      const text = await help(command);
      rows.push(row([`\`${command.call}\``, ...exitsIn(text)]));
      details.push(`## ${command.call}\n\n\`\`\`text\n${text}\`\`\``);
    }
    const head = [row(['command', 'exit code 0', 'exit code 1']), row(['---', '---', '---'])];
    const page = `# Commands

Every command explains itself with \`-- --help\`, without a database. It refuses what it does not know and changes nothing then; results go to the standard output, faults and progress to the standard error, and progress only to a terminal. A program calls \`node_modules/.bin/node dist/src/commands/users.js list --json\`, because npm prints lines of its own otherwise.

Exit code 0 means that it is done, 1 that it is not, or that something is wrong. Wrong arguments are 1 too: a line says which, and which was probably meant.

This page is made from what the commands say: \`npx vitest run standalone/commands -u\` writes it.

${[...head, ...rows].join('\n')}

${details.join('\n\n')}
`;
    await expect(page).toMatchFileSnapshot('../../docs/commands.md');
  });

  it.each(['--fixx', '--whenever'])('refuses an unknown argument, and does nothing: %s', async (given) => {
    for (const [name, { code, output }] of await sayOf([given])) {
      expect(code, name).toBe(1);
      expect(output).toMatch(new RegExp(`^Unknown argument ${given}\\. Allowed: .+\\n$`));
    }
  });
});

it.each([
  ['health', '--wait', '--wait needs a value: --wait=SECONDS\n'],
  ['backup', '--to', '--to needs a value: --to=FILE|-\n'],
  ['backup', '--to=', '--to needs a value: --to=FILE|-\n'],
  ['restore', 'a --deleted=', '--deleted needs a value: --deleted=FILE\n'],
])('%s says of %s that its value is missing', async (name, given, line) => {
  const environment = nowhere();
  const command = run(`commands/${name}.js`, environment, given.split(' '));
  expect([await command.exited, command.output]).toEqual([1, line]);
  expect(existsSync(environment.DATA_DIR)).toBe(false);
});

const MOVE = {
  script: 'move',
  does: 'Moves.',
  operands: { FILE: 'a file' },
  options: {
    from: { value: 'DIRECTORY', says: 'from there', required: '--from is missing' },
    to: { value: 'DIRECTORY', says: 'to there' },
    'dry-run': { says: 'only says' },
  },
  examples: [''],
  exits: { 0: 'done', 1: 'not done' },
} as const satisfies Declaration;

const WORDS = {
  ...{ script: 'users', does: 'Looks after users.', examples: [''], exits: MOVE.exits },
  words: { list: { says: 'all', options: { json: { says: 'as JSON' } } }, create: { says: 'one' } },
} as const satisfies Declaration;

const said = (declaration: Declaration, given: string) => {
  try {
    return argumentsOf(declaration, given.split(' ').filter(Boolean));
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
};

const ALLOWED = 'Allowed: FILE --from=… --to=… --dry-run';

describe('The arguments of a command', () => {
  it('are read as they are declared, in any order, with = or without', () => {
    const both = { operands: ['a'], given: { from: 'b', to: undefined, 'dry-run': false } };
    expect(said(MOVE, 'a --from b')).toEqual(both);
    expect(said(MOVE, '--from=b a')).toEqual(both);
    const all = { operands: ['a'], given: { from: '-', to: '', 'dry-run': true } };
    expect(said(MOVE, '--dry-run --from - --to= a')).toEqual(all);
    expect(said(WORDS, 'list --json')).toEqual({ word: 'list', operands: [], given: { json: true } });
  });

  it.each([
    [MOVE, 'a --form b', `Unknown argument --form. ${ALLOWED}. Did you mean --from=…?`],
    [MOVE, 'a --frm=b', `Unknown argument --frm=b. ${ALLOWED}. Did you mean --from=…?`],
    [MOVE, 'a --dryrun', `Unknown argument --dryrun. ${ALLOWED}. Did you mean --dry-run?`],
    [MOVE, 'a -dry-run', `Unknown argument -dry-run. ${ALLOWED}. Did you mean --dry-run?`],
    [MOVE, 'a --dry', `Unknown argument --dry. ${ALLOWED}. Did you mean --dry-run?`],
    [MOVE, 'a --dry-run=yes', `Unknown argument --dry-run=yes. ${ALLOWED}`],
    [MOVE, 'a --from', '--from needs a value: --from=DIRECTORY'],
    [MOVE, 'a --from --dry-run', '--from needs a value: --from=DIRECTORY'],
    [MOVE, '--to', '--to needs a value: --to=DIRECTORY'],
    [MOVE, 'a from', `Unknown argument from. ${ALLOWED}. Did you mean --from=…?`],
    [MOVE, 'a --when now', `Unknown argument --when. ${ALLOWED}`],
    [MOVE, 'a b', `Unknown argument b. ${ALLOWED}`],
    [MOVE, 'a --__proto__=b', `Unknown argument --__proto__=b. ${ALLOWED}`],
    [MOVE, 'a --constructor', `Unknown argument --constructor. ${ALLOWED}`],
    [MOVE, 'a --from b --from c', '--from is given twice'],
    [MOVE, 'a --from= --from=c', '--from is given twice'],
    [MOVE, '--from b', 'FILE is missing'],
    [MOVE, 'a', '--from is missing'],
    [WORDS, '', 'Say what to do. Allowed: list, create'],
    [WORDS, 'lits', 'Unknown argument lits. Allowed: list, create. Did you mean list?'],
    [WORDS, '--list', 'Unknown argument --list. Allowed: list, create. Did you mean list?'],
    [WORDS, 'cre', 'Unknown argument cre. Allowed: list, create. Did you mean create?'],
    [WORDS, 'destroy', 'Unknown argument destroy. Allowed: list, create'],
    [WORDS, 'toString', 'Unknown argument toString. Allowed: list, create'],
    [WORDS, 'list --jsn', 'Unknown argument --jsn. Allowed: --json'],
  ])('are refused in one line where they are wrong: %#', (declaration, given, line) => {
    expect(said(declaration, given)).toBe(line);
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

  it('is told in that one place only, so that no command writes it into a pipe', () => {
    const asking = globSync('src/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes('isTTY'));
    expect(asking.sort()).toEqual(['src/commands/report.ts', 'src/log.ts']);
  });
});
