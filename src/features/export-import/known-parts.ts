import type { Fault } from '../../base/carried-file.js';
import type { Keys } from '../../base/carried-schema.js';
import { MOST_FAULTS } from '../../base/errors.js';

/** Of a list within a part. An export's longest is half of it; a million lists and objects would take seconds to hand over. */
const MOST_ENTRIES = 20;

const UNKNOWN = 'is not a field that Steady knows';

/** Of a name that nobody knows, in characters. */
const LONGEST_NAME = 50;

const PLAIN = /^[A-Za-z_]\w*$/;

/** What is known of the parts of a file. What is not is left behind, and is a fault. */
export class KnownParts {
  readonly faults: Fault[] = [];

  get isFull(): boolean {
    return this.faults.length >= MOST_FAULTS;
  }

  /** `part` is what people call it, such as Task 3. */
  of(value: unknown, keys: Keys | null, path: string, part: string): unknown {
    return this.known(value, keys, { root: path, part, names: '' });
  }

  /** Looks at the names alone. */
  requireNames(file: object, keys: Keys): void {
    for (const name in file) {
      if (this.isFull) return;
      if (!Object.hasOwn(keys, name)) this.note({ root: '', part: '', names: written(name) }, UNKNOWN);
    }
  }

  private known(value: unknown, keys: Keys | null, place: Place): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (this.isFull) return null; // nothing of the file is taken
    if (Array.isArray(value)) return this.entries(value, keys, place);
    if (!keys) return this.note(place, 'must not be an object');
    for (const name in value) {
      if (this.isFull) return null;
      if (!Object.hasOwn(keys, name)) this.note(within(place, written(name)), UNKNOWN);
    }
    const known: Record<string, unknown> = {};
    // In one order: objects of many different ones cross over as slowly as those of many names.
    for (const name in keys) {
      if (!Object.hasOwn(value, name)) continue;
      const part: unknown = Reflect.get(value, name);
      if (typeof part !== 'object' || part === null) known[name] = part;
      else known[name] = this.known(part, keys[name] ?? null, within(place, written(name)));
    }
    return known;
  }

  /** Nothing known is a list of lists: what nests without end could not be handed to another thread. */
  private entries(list: unknown[], keys: Keys | null, place: Place): unknown {
    if (list.length > MOST_ENTRIES) return this.note(place, `must have at most ${MOST_ENTRIES} entries`);
    return list.map((entry, index) => {
      const at = within(place, `[${index}]`);
      return Array.isArray(entry) ? this.note(at, 'must not be a list') : this.known(entry, keys, at);
    });
  }

  private note({ root, part, names }: Place, problem: string): null {
    const named = names.replace(/^\./, '');
    const subject = [part, named].filter(Boolean).join(': ') || 'The file';
    this.faults.push({ path: `${root}${root === '' ? named : names}`, message: `${subject} ${problem}` });
    return null;
  }
}

/** Where a value is: below `root`, which people call `part`. */
interface Place {
  root: string;
  part: string;
  names: string;
}

const within = (place: Place, name: string): Place => ({ ...place, names: place.names + name });

const written = (name: string): string => {
  const short = name.slice(0, LONGEST_NAME).toWellFormed();
  return PLAIN.test(short) ? `.${short}` : `[${JSON.stringify(short)}]`;
};
