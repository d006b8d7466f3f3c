import { isUtf8 } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { invalid, Refusal } from '../errors.js';
import type { FileJob, FilePart } from './import-file.js';

// Reads a file beside the event loop: to parse and unpack a large one takes seconds.

/** A part that is larger than an honest task with every character escaped. */
const LARGEST_ITEM_CHARACTERS = 262_144;

/** The event loop takes in so much at a time, which is a matter of a millisecond. */
const BATCH_CHARACTERS = 65_536;

const { bytes, now, members, lists } = workerData as FileJob;

const send = (part: FilePart): void => parentPort?.postMessage(part);

try {
  const file = isPacked(bytes) ? await fromLoop() : fromJson();
  for (const name of members) if (Object.hasOwn(file, name)) sendMember(name, file[name]);
  send({ kind: 'end' });
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
  // The account's own days stay as they are.
  return { ...document, account: { timeZone: null, dayStartsAt: 0 } };
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
  const most = lists[name];
  if (most && Array.isArray(value)) sendItems(name, value, most);
  else {
    sizeOf(value, name);
    send({ kind: 'member', name, value });
  }
}

function sendItems(name: string, value: unknown[], most: FileJob['lists'][string]): void {
  if (value.length > most.most) throw invalid(`${most.label}s must be at most ${most.most}`);
  send({ kind: 'items', name, items: [] });
  let items: unknown[] = [];
  let size = 0;
  for (const [index, item] of value.entries()) {
    size += sizeOf(item, `${most.label} ${index + 1}`);
    items.push(item);
    if (size < BATCH_CHARACTERS) continue;
    send({ kind: 'items', name, items });
    [items, size] = [[], 0];
  }
  send({ kind: 'items', name, items });
}

function sizeOf(value: unknown, label: string): number {
  const size = written(value).length;
  if (size > LARGEST_ITEM_CHARACTERS)
    throw invalid(`${label}: A value is larger than ${LARGEST_ITEM_CHARACTERS} characters`);
  return size;
}

/** What nests too deeply to be written again is nothing that Steady wrote. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    throw notJson();
  }
}
