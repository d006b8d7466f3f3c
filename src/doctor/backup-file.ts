import { model } from '../../mikro-orm.config.js';
import { readFile } from '../backup/file.js';
import type { Kept } from '../backup/folder.js';
import { BackupError } from '../backup/format.js';
import { knownTo } from '../database/migrations.js';
import { type Finding, wrong } from './finding.js';

/** In milliseconds, for all files together: some 100 MB are read to their end. */
const PATIENCE = 15_000;

/** What was found out about the backups in a folder by reading the newest ones. */
export interface Read {
  /** The newest that is not known to be of no use. */
  good: Kept | undefined;
  /** How much of that was read, in words. */
  checked: string;
  /** Of those that are newer, and of no use. */
  faults: Finding[];
}

/** Reads the newest one, as a restore does first, and older ones until one is whole. */
export async function readNewest(
  kept: readonly Kept[],
  signal = AbortSignal.timeout(PATIENCE),
): Promise<Read> {
  const faults: Finding[] = [];
  for (const each of kept) {
    const fault = await faultIn(each.file, signal);
    if (fault === undefined) return { good: each, checked: WHOLE, faults };
    if (signal.aborted) return { good: each, checked: UNREAD, faults };
    faults.push(fault);
  }
  return { good: undefined, checked: '', faults };
}

const WHOLE = 'read to its end, and its checksum is right';
const UNREAD = 'not read to its end, which takes too long here: gzip -t does, and npm run restore does first';

async function faultIn(file: string, signal: AbortSignal): Promise<Finding | undefined> {
  try {
    await readFile(file, knownTo(model.migrations), signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
    const fix = 'Do not count on it: keep the older ones, and see the log of the service for "backup".';
    return wrong('backups', error.message.replace(/\.$/, ''), fix);
  }
}
