import { Worker } from 'node:worker_threads';
import { invalid, overloaded } from '../errors.js';
import { projectFile } from '../files/project.js';
import { timeLeft } from '../request.js';

export interface FileJob {
  bytes: Uint8Array;
  now: Date;
  /** The members to be read; others are passed over. */
  members: readonly string[];
  /** The parts that are lists, with what an item is called and how many there may be. */
  lists: Readonly<Record<string, { label: string; most: number }>>;
}

export type FilePart =
  | { kind: 'member'; name: string; value: unknown }
  | { kind: 'items'; name: string; items: unknown[] }
  | { kind: 'leftOut'; lines: string[] }
  | { kind: 'refused'; message: string }
  | { kind: 'end' };

/** What a file holds, not yet validated. */
export interface FileContents {
  members: Map<string, unknown>;
  /** A line for everything that another app's file has and Steady has not taken. */
  leftOut: string[] | undefined;
}

/** A file at the limit of bytes takes a fifth of it, unless it was made to take more. */
const MOST_MEMORY_MB = 512;

/** Parses or unpacks a file in a thread of its own, which ends with it. */
export async function contentsOf(job: FileJob): Promise<FileContents> {
  const worker = new Worker(projectFile('dist/src/takeout/file-worker.js'), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  const members = new Map<string, unknown>();
  let leftOut: string[] | undefined;
  const { promise, resolve, reject } = Promise.withResolvers<FileContents>();
  const take = (part: FilePart): void => {
    if (part.kind === 'member') members.set(part.name, part.value);
    else if (part.kind === 'items') {
      const known = members.get(part.name);
      if (Array.isArray(known)) known.push(...part.items);
      else members.set(part.name, part.items);
    } else if (part.kind === 'leftOut') leftOut = part.lines;
    else if (part.kind === 'refused') reject(invalid(part.message));
    else resolve({ members, leftOut });
  };
  worker.on('message', take);
  worker.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? invalid('The file holds more than can be read') : error,
    ),
  );
  worker.on('exit', () => reject(overloaded()));
  const left = timeLeft();
  const late = Number.isFinite(left) ? setTimeout(() => reject(overloaded()), Math.max(left, 0)) : undefined;
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}
