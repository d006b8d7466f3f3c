import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The arguments of a command are wrong. */
export class UsageError extends Error {}

/** Prints the help if it is asked for. Returns whether it was. */
export function printedHelp(help: string): boolean {
  const isAsked = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
  if (isAsked) console.log(help);
  return isAsked;
}

/** What may follow a command, or its first word. */
interface Form<Options> {
  /** Their names, in their order. All must be given. */
  operands?: readonly string[];
  options?: Options;
}

/** Refuses whatever is unknown, missing, given twice or empty. */
export function argumentsOf<const Options extends ParseArgsOptionsConfig>(
  { operands = [], options = {} as Options }: Form<Options>,
  args: readonly string[] = process.argv.slice(2),
) {
  const names = [...operands, ...Object.keys(options).map((name) => `--${name}`)];
  const unknown = (what: string) => new UsageError(`${what}. Allowed: ${names.join(' ') || 'none'}`);
  const { values, positionals, tokens } = parsed(args, options, unknown);
  const given = tokens.filter((token) => token.kind === 'option');
  const twice = given.find(({ name }, index) => given.slice(0, index).some((other) => other.name === name));
  if (twice) throw new UsageError(`--${twice.name} is given twice`);
  const empty = given.find(({ value }) => value === '');
  if (empty) throw new UsageError(`--${empty.name} needs a value`);
  const extra = positionals[operands.length];
  if (extra !== undefined) throw unknown(`Unknown argument '${extra}'`);
  const missing = operands[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  return { values, operands: positionals };
}

function parsed<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  unknown: (what: string) => UsageError,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const [what = ''] = message.split(/\.?\n|\. /);
    throw code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? unknown(what) : new UsageError(what);
  }
}

/** The first word of a command that has several, and what follows it. */
export function subcommandOf<Word extends string>(
  words: readonly Word[],
  [first, ...args]: readonly string[] = process.argv.slice(2),
): { word: Word; args: string[] } {
  const word = words.find((each) => each === first);
  if (word) return { word, args };
  const what = first === undefined ? 'Say what to do' : `Unknown argument '${first}'`;
  throw new UsageError(`${what}. Allowed: ${words.join(' ')}`);
}
