import { nearest } from '../config/nearness.js';
import type { Declaration, Form, Given, Option } from './usage/declaration.js';
import { helpOf } from './usage/help.js';

/** The arguments of a command are wrong. */
export class UsageError extends Error {}

/** Prints the help if it is asked for. Returns whether it was. */
export function printedHelp(declaration: Declaration): boolean {
  const isAsked = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
  if (isAsked) console.log(helpOf(declaration));
  return isAsked;
}

/** Reads what was given to a command, and refuses what it does not declare, or what it lacks. */
export function argumentsOf<D extends Declaration>(
  declaration: D,
  all: readonly string[] = process.argv.slice(2),
): Given<D> {
  const { words } = declaration;
  if (!words) return read(all, declaration) as Given<D>;
  const [word = '', ...rest] = all;
  const allowed = Object.keys(words);
  if (!word) throw new UsageError(`Say what to do. Allowed: ${allowed.join(', ')}`);
  const form = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!form) {
    const meant = nearest(word.replace(/^-+/, ''), allowed);
    throw new UsageError(`Unknown argument ${word}. Allowed: ${allowed.join(', ')}${inCase(meant)}`);
  }
  return { word, ...read(rest, form) } as unknown as Given<D>;
}

function read(all: readonly string[], { operands: named = {}, options = {} }: Form) {
  const given: Record<string, string | boolean | undefined> = {};
  for (const [name, { value }] of Object.entries(options)) given[name] = value ? undefined : false;
  const seen = new Set<string>();
  const operands: string[] = [];
  const left = [...all];
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const found = optionIn(argument, options, left);
    if (!found && (argument.startsWith('-') || operands.length >= Object.keys(named).length)) {
      throw unknownArgument(argument, named, options);
    }
    if (!found) {
      operands.push(argument);
      continue;
    }
    if (seen.has(found.name)) throw new UsageError(`--${found.name} is given twice`);
    seen.add(found.name);
    given[found.name] = found.value;
  }
  const missing = Object.keys(named).find((_, index) => !operands[index]);
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  for (const [name, { required }] of Object.entries(options)) {
    if (required && !given[name]) throw new UsageError(required);
  }
  return { operands, given };
}

/** Takes the value from the arguments that are left where it stands there, as in `--to FILE`. */
function optionIn(argument: string, options: Record<string, Option>, left: string[]) {
  const [, name = '', joined] = /^--([\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  if (!option) return undefined;
  if (!option.value) return joined === undefined ? { name, value: true } : undefined;
  const isFollowed = joined === undefined && !/^(--|$)/.test(left[0] ?? '');
  const value = isFollowed ? left.shift() : joined;
  if (value === undefined) throw needsValue(name, option);
  return { name, value };
}

/** For a command too that takes an empty value for none. */
export const needsValue = (name: string, { value }: Option): UsageError =>
  new UsageError(`--${name} needs a value: --${name}=${value}`);

function unknownArgument(
  argument: string,
  operands: Record<string, string>,
  options: Record<string, Option>,
): UsageError {
  const shown = ([name, { value }]: [string, Option]) => (value ? `--${name}=…` : `--${name}`);
  const withValue = Object.entries(options).filter(([, { value }]) => value);
  const flags = Object.entries(options).filter(([, { value }]) => !value);
  const allowed = [...Object.keys(operands), ...[...withValue, ...flags].map(shown)];
  const meant = nearest(argument.replace(/^-+|=.*$/gs, ''), Object.keys(options));
  const option = meant === undefined ? undefined : options[meant];
  // What is spelt right, or the only one, the list says already.
  const isHelpful = allowed.length > 1 && option && meant && !argument.startsWith(`--${meant}`);
  const hint = inCase(isHelpful ? shown([meant, option]) : undefined);
  return new UsageError(`Unknown argument ${argument}. Allowed: ${allowed.join(' ') || 'none'}${hint}`);
}

const inCase = (meant: string | undefined) => (meant ? `. Did you mean ${meant}?` : '');

/** For the benchmarks, which explain themselves in README: options by name alone. */
export function options<Name extends string, Flag extends string = never>(
  known: readonly Name[],
  flags: readonly Flag[] = [],
): Partial<Record<Name, string>> & Record<Flag, boolean> {
  const declared: Record<string, Option> = {};
  for (const name of known) declared[name] = { value: '…', says: '' };
  for (const name of flags) declared[name] = { says: '' };
  const { given } = read(process.argv.slice(2), { options: declared });
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Partial<Record<Name, string>> & Record<Flag, boolean>;
}
