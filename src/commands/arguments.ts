/** The arguments of a command are wrong. */
export class UsageError extends Error {}

/** Prints the help if it is asked for. Returns whether it was. */
export function printedHelp(help: string): boolean {
  const isAsked = process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h');
  if (isAsked) console.log(help);
  return isAsked;
}

type Given<Name extends string, Flag extends string> = Partial<Record<Name, string>> & Record<Flag, boolean>;

/** Reads `--name=value` arguments and `--flag` ones. Refuses any other argument. */
export function options<Name extends string, Flag extends string = never>(
  known: readonly Name[],
  flags: readonly Flag[] = [],
): Given<Name, Flag> {
  const allowed = [...known.map((name) => `--${name}=…`), ...flags.map((name) => `--${name}`)];
  const given = new Map<string, string | true>();
  for (const argument of process.argv.slice(2)) {
    const [, name = '', value] = /^--([\w-]+)(?:=(.*))?$/s.exec(argument) ?? [];
    const names: readonly string[] = value === undefined ? flags : known;
    if (!names.includes(name)) {
      throw new UsageError(`Unknown argument ${argument}. Allowed: ${allowed.join(' ') || 'none'}`);
    }
    if (given.has(name)) throw new UsageError(`--${name} is given twice`);
    given.set(name, value ?? true);
  }
  const unset = Object.fromEntries(flags.map((name) => [name, false]));
  return { ...unset, ...Object.fromEntries(given) } as Given<Name, Flag>;
}
