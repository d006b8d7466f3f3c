import { isUtf8 } from 'node:buffer';
import { invalid, Refusal } from '../../base/errors.js';
import type { FileJob, FilePart } from './import-file.js';
import { KnownParts } from './known-parts.js';

/** A part that is larger than an honest task with every character escaped. */
const LARGEST_ITEM_CHARACTERS = 262_144;

/** The event loop takes in so much at a time, which is a matter of a millisecond. */
const BATCH_CHARACTERS = 65_536;

/** Reads a file, and sends what it holds of what is known. */
export class FileReader {
  private readonly known = new KnownParts();
  /** How many values were sent. */
  private sent = 0;

  constructor(
    private readonly job: FileJob,
    private readonly send: (part: FilePart) => void,
  ) {}

  async read(): Promise<void> {
    const { bytes, members, keys } = this.job;
    try {
      const file = isPacked(bytes) ? await this.fromLoop() : fromJson(bytes);
      this.known.requireNames(file, keys);
      for (const name of members) if (Object.hasOwn(file, name)) this.sendMember(name, file[name]);
      this.send({ kind: 'end', sent: this.sent, faults: this.known.faults });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.send({ kind: 'refused', message: error.message });
    }
  }

  /** The converter brings half of the service along, for which a file of our own should not wait. */
  private async fromLoop(): Promise<Record<string, unknown>> {
    const { bytes, now, lists } = this.job;
    const { convertLoop } = await import('./loop/convert.js');
    const { linesOf } = await import('./loop/not-imported.js');
    const { document, left } = convertLoop(bytes, now);
    this.send({ kind: 'leftOut', lines: linesOf(left) });
    const nothing = Object.fromEntries(Object.keys(lists).map((name) => [name, []]));
    // The account's own days stay as they are.
    return { ...nothing, ...document, account: { timeZone: null, dayStartsAt: 0 } };
  }

  private sendMember(name: string, value: unknown): void {
    const list = this.job.lists[name];
    if (list && Array.isArray(value)) this.sendItems(name, value, list);
    else this.sendWhole(name, value);
  }

  private sendWhole(name: string, value: unknown): void {
    const whole = this.known.of(value, this.job.keys[name] ?? null, name, sentence(name));
    requireSmall(whole, sentence(name));
    this.sent += 1;
    this.send({ kind: 'member', name, value: whole });
  }

  private sendItems(name: string, value: unknown[], { label, most }: FileJob['lists'][string]): void {
    if (value.length > most) throw invalid(`${label}s must be at most ${most}`);
    this.send({ kind: 'items', name, items: [] });
    let items: unknown[] = [];
    let size = 0;
    const flush = () => {
      this.sent += items.length;
      this.send({ kind: 'items', name, items });
      [items, size] = [[], 0];
    };
    for (const [index, given] of value.entries()) {
      if (this.known.isFull) return; // nothing of it is taken
      const part = `${label} ${index + 1}`;
      const item = this.known.of(given, this.job.keys[name] ?? null, `${name}[${index}]`, part);
      size += requireSmall(item, part);
      items.push(item);
      if (size >= BATCH_CHARACTERS) flush();
    }
    flush();
  }
}

/** A ZIP archive, or the database of an app on the phone, which is refused with what to do instead. */
function isPacked(file: Uint8Array): boolean {
  return /^(PK|SQLite format 3)/.test(Buffer.from(file.subarray(0, 16)).toString('latin1'));
}

function fromJson(bytes: Uint8Array): Record<string, unknown> {
  const file = parsed(bytes);
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw invalid('The file must be a JSON object');
  return file as Record<string, unknown>;
}

function parsed(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw notJson();
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw notJson();
  }
}

function notJson(): Refusal {
  return invalid('The file is not valid JSON');
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Answers its size. */
function requireSmall(value: unknown, label: string): number {
  const size = JSON.stringify(value)?.length ?? 0;
  if (size > LARGEST_ITEM_CHARACTERS)
    throw invalid(`${label}: A value is larger than ${LARGEST_ITEM_CHARACTERS} characters`);
  return size;
}
