import type { Carried, Here } from '../../base/carried.js';
import { CarriedFile } from '../../base/carried-file.js';
import { keysIn } from '../../base/carried-schema.js';
import { OneOf } from '../../base/validation.js';
import { type CarriedParts, schemaOfFile } from './export-schema.js';
import { contentsOf, type FileContents, type FileJob, FORMAT } from './import-file.js';

/** What is in front of the parts. */
class ImportedFile {
  @OneOf([FORMAT.format])
  format!: string;

  @OneOf(Array.from({ length: FORMAT.version }, (_, index) => index + 1))
  version!: number;
}

/** With another one, nothing else of the file means what it seems to. */
function requireFormat(members: ReadonlyMap<string, unknown>): void {
  const file = new CarriedFile(members, []);
  const head = { format: members.get('format'), version: members.get('version') };
  file.part(ImportedFile, head, { path: '', label: '' });
  file.requireFaultless();
}

/** What the reader of a file is told. */
export const jobOf = (bytes: Buffer, now: Date, carried: CarriedParts): FileJob => ({
  ...{ bytes, now, lists: listsOf(carried), keys: keysIn(schemaOfFile(carried)) ?? {} },
  members: ['format', 'version', ...carried.parts.map(({ name }) => name)],
});

const listsOf = ({ parts }: CarriedParts): FileJob['lists'] =>
  Object.fromEntries(parts.flatMap(({ name, list }) => (list ? [[name, list]] : [])));

type Given = Pick<Here, 'now' | 'templates' | 'hasZone' | 'isAdded'>;

export const importedFrom = async (bytes: Buffer, given: Given, carried: CarriedParts) =>
  importOf(await contentsOf(jobOf(bytes, given.now, carried)), given, carried);

/** Refuses a file with all that is wrong with it. */
export async function importOf(
  { members, leftOut, faults }: FileContents,
  given: Given,
  carried: CarriedParts,
) {
  requireFormat(members);
  const file = new CarriedFile(members, faults, listsOf(carried));
  const here: Here = { ...given, kinds: new Map(), ids: new Map(), there: new Set() };
  const read = new Map<string, Awaited<ReturnType<Carried['read']>>>();
  for (const part of carried.parts) read.set(part.name, await part.read(file, here));
  file.requireFaultless();
  const bringIn = async (query: Parameters<Carried['exported']>[0], userId: string) => {
    const counts: Record<string, number> = {};
    for (const [name, part] of read) counts[name] = await part.bringIn(query, userId);
    return counts;
  };
  const values = Object.fromEntries([...read].map(([name, { items }]) => [name, items]));
  return { values, bringIn, leftOut };
}
