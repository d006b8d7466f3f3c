import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { invalid, Refusal } from '../../base/errors.js';
import type { FileJob, FilePart } from './import-file.js';
import { KnownParts } from './known-parts.js';

// Reads a file beside the event loop: to parse and unpack a large one takes seconds.

/** A part that is larger than an honest task with every character escaped. */
const LARGEST_ITEM_CHARACTERS = 262_144;

/** The event loop takes in so much at a time, which is a matter of a millisecond. */
const BATCH_CHARACTERS = 65_536;

const { bytes, now, members, lists, keys } = workerData as FileJob;

const known = new KnownParts();

/** How many values were sent. */
let sent = 0;

const send = (part: FilePart): void => parentPort?.postMessage(part);

try {
  const file = isPacked(bytes) ? await fromLoop() : fromJson();
  known.requireNames(file, keys);
  for (const name of members) if (Object.hasOwn(file, name)) sendMember(name, file[name]);
  send({ kind: 'end', sent, faults: known.faults });
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  send({ kind: 'refused', message: error.message });
}

/** A ZIP archive, or the database of an app on the phone, which is refused with what to do instead. */
function isPacked(file: Uint8Array): boolean {
  return /^(PK|SQLite format 3)/.test(Buffer.from(file.subarray(0, 16)).toString('latin1'));
}

/** The converter brings half of the service along, for which a file of our own should not wait. */
async function fromLoop(): Promise<Record<string, unknown>> {
  const { convertLoop } = await import('./loop/convert.js');
  const { linesOf } = await import('./loop/not-imported.js');
  const { document, left } = convertLoop(bytes, now);
  send({ kind: 'leftOut', lines: linesOf(left) });
  const nothing = Object.fromEntries(Object.keys(lists).map((name) => [name, []]));
  // The account's own days stay as they are.
  return { ...nothing, ...document, account: { timeZone: null, dayStartsAt: 0 } };
}

function fromJson(): Record<string, unknown> {
  const file = parsed();
  if (typeof file !== 'object' || file === null || Array.isArray(file))
    throw invalid('The file must be a JSON object');
  return file as Record<string, unknown>;
}

function parsed(): unknown {
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

function sendMember(name: string, value: unknown): void {
  const list = lists[name];
  if (list && Array.isArray(value)) sendItems(name, value, list);
  else sendWhole(name, value);
}

function sendWhole(name: string, value: unknown): void {
  const whole = known.of(value, keys[name] ?? null, name, sentence(name));
  requireSmall(whole, sentence(name));
  sent += 1;
  send({ kind: 'member', name, value: whole });
}

function sendItems(name: string, value: unknown[], { label, most }: FileJob['lists'][string]): void {
  if (value.length > most) throw invalid(`${label}s must be at most ${most}`);
  send({ kind: 'items', name, items: [] });
  let items: unknown[] = [];
  let size = 0;
  const flush = () => {
    sent += items.length;
    send({ kind: 'items', name, items });
    [items, size] = [[], 0];
  };
  for (const [index, given] of value.entries()) {
    if (known.isFull) return; // nothing of it is taken
    const part = `${label} ${index + 1}`;
    const item = known.of(given, keys[name] ?? null, `${name}[${index}]`, part);
    size += requireSmall(item, part);
    items.push(item);
    if (size >= BATCH_CHARACTERS) flush();
  }
  flush();
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
