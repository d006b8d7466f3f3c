import { Worker } from 'node:worker_threads';
import type { Fault } from '../../base/carried-file.js';
import type { Keys } from '../../base/carried-schema.js';
import { invalid, overloaded } from '../../base/errors.js';
import { projectFile } from '../../base/files/project.js';
import { timeLeft } from '../../base/request.js';

/** The version of the format. A reader refuses one that it does not know. */
export const FORMAT = { format: 'steady-export', version: 2 } as const;

export interface FileJob {
  bytes: Uint8Array;
  now: Date;
  /** The members to be read; others are passed over. */
  members: readonly string[];
  /** The parts that are lists, with what an item is called and how many there may be. */
  lists: Readonly<Record<string, { label: string; most: number }>>;
  /** The keys of all members. */
  keys: Keys;
}

export type FilePart =
  | { kind: 'member'; name: string; value: unknown }
  | { kind: 'items'; name: string; items: unknown[] }
  | { kind: 'leftOut'; lines: string[] }
  | { kind: 'refused'; message: string }
  | { kind: 'end'; sent: number; faults: Fault[] };

/** What a file holds of what is known, not yet validated. */
export interface FileContents {
  members: Map<string, unknown>;
  /** What is not known. With as many as are told, the rest of the file is missing. */
  faults: Fault[];
  /** A line for everything that another app's file has and Steady has not taken. */
  leftOut: string[] | undefined;
}

/** A file at the limit of bytes takes a fifth of it, unless it was made to take more. */
const MOST_MEMORY_MB = 512;

/** Gathers what a reader sends. */
export class Gathering {
  private readonly members = new Map<string, unknown>();
  private leftOut: string[] | undefined;
  private arrived = 0;
  private readonly whole = Promise.withResolvers<FileContents>();
  readonly contents = this.whole.promise;
  readonly fail = this.whole.reject;

  take(part: FilePart): void {
    const { members, arrived, leftOut } = this;
    if (part.kind === 'member') {
      members.set(part.name, part.value);
      this.arrived += 1;
    } else if (part.kind === 'items') {
      const known = members.get(part.name);
      if (Array.isArray(known)) known.push(...part.items);
      else members.set(part.name, part.items);
      this.arrived += part.items.length;
    } else if (part.kind === 'leftOut') this.leftOut = part.lines;
    else if (part.kind === 'refused') this.fail(invalid(part.message));
    else if (part.sent !== arrived)
      this.fail(new Error(`Of ${part.sent} values of a file, ${arrived} arrived`));
    else this.whole.resolve({ members, leftOut, faults: part.faults });
  }
}

/** Parses or unpacks a file in a thread of its own, which ends with it. */
export async function contentsOf(job: FileJob): Promise<FileContents> {
  const worker = new Worker(projectFile('dist/src/features/export-import/file-worker.js'), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  const gathering = new Gathering();
  const { fail } = gathering;
  worker.on('messageerror', () => fail(invalid('The file holds what cannot be read')));
  worker.on('message', (part: FilePart) => gathering.take(part));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? invalid('The file holds more than can be read') : error),
  );
  worker.on('exit', () => fail(overloaded()));
  const left = timeLeft();
  const late = Number.isFinite(left) ? setTimeout(() => fail(overloaded()), Math.max(left, 0)) : undefined;
  try {
    return await gathering.contents;
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}
