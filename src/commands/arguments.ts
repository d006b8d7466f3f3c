/** The arguments of a command are wrong. */
export class UsageError extends Error {}

/** Prints the help if it is asked for. Returns whether it was. */
export function printedHelp(help: string): boolean {
  const isAsked = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
  if (isAsked) console.log(help);
  return isAsked;
}

type Given<Name extends string, Flag extends string> = Partial<Record<Name, string>> & Record<Flag, boolean>;

/** Reads `--name=value` or `--name value` arguments, and `--flag` ones. Refuses any other argument. */
export function options<Name extends string, Flag extends string = never>(
  known: readonly Name[],
  flags: readonly Flag[] = [],
): Given<Name, Flag> {
  const { given, others } = read(process.argv.slice(2), known, flags);
  if (others[0] !== undefined) throw unknownArgument(others[0], known, flags, []);
  return given;
}

/** The one argument of a command that is not an option, and its options. */
export function operandAnd<Name extends string>(name: string, known: readonly Name[]) {
  const { given, others } = read(process.argv.slice(2), known, []);
  const [value, next] = others;
  const refused = value?.startsWith('-') ? value : next;
  if (refused !== undefined) throw unknownArgument(refused, known, [], [name]);
  if (!value) throw new UsageError(`${name} is missing`);
  return { operand: value, given };
}

/** What may follow the first word of a command. */
export interface Form {
  operands?: readonly string[];
  known?: readonly string[];
  flags?: readonly string[];
}

/** Reads `list --json` or `delete E-MAIL --yes`: the first word decides what may follow. All operands must. */
export function words<Word extends string>(forms: Record<Word, Form>) {
  const [word = '', ...rest] = process.argv.slice(2);
  const allowed = Object.keys(forms).join(', ');
  if (!word) throw new UsageError(`Say what to do. Allowed: ${allowed}`);
  if (!Object.hasOwn(forms, word)) throw new UsageError(`Unknown argument ${word}. Allowed: ${allowed}`);
  const { operands = [], known = [], flags = [] } = forms[word as Word];
  const { given, others } = read(rest, known, flags);
  const surplus = others.find((other, index) => other.startsWith('-') || index >= operands.length);
  if (surplus !== undefined) throw unknownArgument(surplus, known, flags, operands);
  const missing = operands.find((_, index) => !others[index]);
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  return { word: word as Word, operands: others, given: given as Partial<Record<string, string | boolean>> };
}

function read<Name extends string, Flag extends string>(
  all: readonly string[],
  known: readonly Name[],
  flags: readonly Flag[],
) {
  const given = new Map<string, string | true>();
  const others: string[] = [];
  const left = [...all];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const [, name = '', joined] = /^--([\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const isFollowed = joined === undefined && isAmong(known, name) && !/^(--|$)/.test(left[0] ?? '');
    const value = isFollowed ? left.shift() : joined;
    if (isAmong(value === undefined ? flags : known, name)) {
      if (given.has(name)) throw new UsageError(`--${name} is given twice`);
      given.set(name, value ?? true);
    } else {
      others.push(argument);
    }
  }
  const unset = Object.fromEntries(flags.map((name) => [name, false]));
  return { given: { ...unset, ...Object.fromEntries(given) } as Given<Name, Flag>, others };
}

const isAmong = (names: readonly string[], name: string) => names.includes(name);

function unknownArgument(
  argument: string,
  known: readonly string[],
  flags: readonly string[],
  operands: readonly string[],
): UsageError {
  const allowed = [...operands, ...known.map((name) => `--${name}=…`), ...flags.map((name) => `--${name}`)];
  return new UsageError(`Unknown argument ${argument}. Allowed: ${allowed.join(' ') || 'none'}`);
}
