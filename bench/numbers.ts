import { options, UsageError } from './built.ts';

/** The options of a benchmark, each a positive whole number, with what it is unless it is given. */
export function wholeNumbers<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const given = options(Object.keys(defaults) as Name[]) as Partial<Record<Name, string>>;
  const numbers = { ...defaults };
  for (const [name, text] of Object.entries(given) as [Name, string][]) {
    if (!/^[1-9]\d{0,7}$/.test(text)) {
      throw new UsageError(`--${name} must be a positive whole number, and is "${text}"`);
    }
    numbers[name] = Number(text);
  }
  return numbers;
}
