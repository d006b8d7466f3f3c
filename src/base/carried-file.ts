import { MOST_FAULTS, Refusal } from './errors.js';
import { yieldToOthers } from './queues/event-loop.js';
import { inputFrom } from './validation.js';

/** What is wrong with a file, and where: `tasks[3].colour`. */
export interface Fault {
  path: string;
  message: string;
}

/** What is wrong with a part of it, and with which of its fields. */
export type Problem = readonly [field: string, message: string] | undefined;

/** What people call an item, how many there may be, and from which version of files on the list is there. */
export interface ListOfFile {
  label: string;
  most: number;
  since?: number;
}

type Lists = Readonly<Record<string, ListOfFile>>;

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface HowToRead {
  asInput?: ((item: object) => object) | undefined;
  /** Told of what is not valid. */
  whenFaulty?: (item: object) => void;
}

/** Rows that are validated in one turn of the event loop. */
const IN_ONE_TURN = 500;

/** The members of a file, of which each is validated by itself. Faults are collected; with too many, it is refused. */
export class CarriedFile {
  constructor(
    private readonly members: ReadonlyMap<string, unknown>,
    private readonly faults: Fault[],
    private readonly lists: Lists = {},
  ) {
    if (faults.length >= MOST_FAULTS) this.requireFaultless();
  }

  value(name: string): unknown {
    return this.members.get(name);
  }

  /** `path` and the beginning of the message name the part, for programs and for people. */
  note(path: string, message: string): void {
    this.faults.push({ path, message });
    if (this.faults.length >= MOST_FAULTS) this.requireFaultless();
  }

  requireFaultless(): void {
    if (this.faults.length > 0)
      throw new Refusal('invalid', 'INVALID_INPUT', this.faults[0]?.message ?? '', { faults: this.faults });
  }

  /** Answers undefined where it notes a fault. */
  part<T extends object>(
    type: new () => T,
    value: object,
    { path, label, problemOf }: { path: string; label: string; problemOf?: (part: T) => Problem },
  ): T | undefined {
    try {
      const input = inputFrom(type, value);
      const problem = problemOf?.(input);
      if (!problem) return input;
      this.noteIn(path, label, problem);
    } catch (error) {
      if (!(error instanceof Refusal) || error.details.faults) throw error;
      for (const problem of Object.entries(error.details.fields ?? {})) this.noteIn(path, label, problem);
    }
    return undefined;
  }

  private noteIn(
    path: string,
    label: string,
    [field, message]: readonly [field: string, message: string],
  ): void {
    this.note(path ? `${path}.${field}` : field, label ? `${label}: ${message}` : message);
  }

  /** One part that is an object: as it is without anything where it is not valid. */
  whole<T extends object>(type: new () => T, name: string): T[] {
    const given = this.value(name);
    const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    if (!isObject(given)) this.note(name, `${label} must be an object`);
    const part = isObject(given) ? this.part(type, given, { path: name, label }) : undefined;
    return [part ?? new type()];
  }

  /** Those that are valid. */
  async list<T extends object>(
    type: new () => T,
    name: string,
    problemOf: (part: T, index: number) => Problem,
    { asInput, whenFaulty }: HowToRead = {},
  ): Promise<T[]> {
    const { label = name, since = 1 } = this.lists[name] ?? {};
    const items = this.members.get(name) ?? (Number(this.members.get('version')) < since ? [] : undefined);
    if (!Array.isArray(items) || !items.every(isObject)) {
      this.note(name, `${label}s must be a list of objects`);
      return [];
    }
    const parts: T[] = [];
    for (const [index, item] of items.entries()) {
      const part = this.part(type, asInput?.(item) ?? item, {
        path: `${name}[${index}]`,
        label: `${label} ${index + 1}`,
        problemOf: (input) => problemOf(input, index),
      });
      if (part) parts.push(part);
      else whenFaulty?.(item);
      if (index % IN_ONE_TURN === IN_ONE_TURN - 1) await yieldToOthers();
    }
    return parts;
  }
}
