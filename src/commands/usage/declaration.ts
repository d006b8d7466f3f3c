/** What follows `--`: with a value, or a flag without one. */
export interface Option {
  /** What the help calls the value, such as FILE; without it, the option is a flag. */
  readonly value?: string;
  readonly says: string;
  /** Without the option, nothing is done and this is printed. */
  readonly required?: string;
}

/** What may follow a command, or its first word. */
export interface Form {
  /** By name, in their order. All must be given. */
  readonly operands?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, Option>>;
}

/** A form that begins with a word of its own, as in `npm run users -- list`. */
export interface WordForm extends Form {
  readonly says: string;
}

/** All that a command understands. Its help, its arguments and docs/commands.md come from here. */
export interface Declaration extends Form {
  /** As in `npm run backup`. */
  readonly script: string;
  /** For people, in lines as they are printed. */
  readonly does: string;
  /** Instead of operands and options: the first word decides what may follow. */
  readonly words?: Readonly<Record<string, WordForm>>;
  /** What follows `npm run backup`. */
  readonly examples: readonly string[];
  /** What each exit code means. */
  readonly exits: Readonly<Record<0 | 1, string>>;
}

type OptionsOf<F extends Form> = F extends { readonly options: infer O } ? O : Record<never, Option>;

type Value<O> = O extends { readonly value: string }
  ? O extends { readonly required: string }
    ? string
    : string | undefined
  : boolean;

/** What was given to a form: operands in their order, options by name. */
export interface Said<F extends Form> {
  operands: string[];
  given: { [Name in keyof OptionsOf<F>]: Value<OptionsOf<F>[Name]> };
}

/** What was given to a command: with its first word, where that decides. */
export type Given<D extends Declaration> = D extends { readonly words: infer W }
  ? { [Word in keyof W]: { word: Word } & Said<W[Word] & WordForm> }[keyof W]
  : Said<D>;

/** `npm start` is one of the scripts that npm runs by their name alone. */
export const callOf = ({ script }: Declaration): string =>
  script === 'start' ? 'npm start' : `npm run ${script}`;
