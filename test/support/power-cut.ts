import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../chaos/random.js';
import type { DiskLog, DiskNode, Operation } from './disk-log.js';

/** A disk writes this much whole or not at all. */
const SECTOR = 512;

type Change = Extract<Operation, { kind: 'write' | 'truncate' }>;
type Naming = Extract<Operation, { kind: 'name' | 'unname' | 'rename' }>;

/** What a file surely holds, and what was done to it since it was synced. */
interface FileOnDisk {
  /** Differs as soon as the content does. */
  version: string;
  content: Buffer;
  pending: Change[];
}

interface DirectoryOnDisk {
  entries: Map<string, DiskNode>;
  pending: Naming[];
}

/** What lies under a name; undefined for a directory. */
export type Found = Pick<FileOnDisk, 'version' | 'content'> | undefined;

/** What a disk may hold on which these operations were carried out. `base` is a copy from before them. */
export class Disk {
  private readonly files = new Map<number, FileOnDisk>();
  private readonly directories = new Map<number, DirectoryOnDisk>();
  private readonly root: DiskNode;
  private at = 0;

  /** To be made before the log starts. */
  constructor(
    base: string,
    private readonly log: DiskLog,
  ) {
    this.root = log.root;
    this.take(base, log.root);
  }

  /** Carries out the operations up to a position of the log. */
  advance(position: number): void {
    for (; this.at < position; this.at += 1) this.carryOut(this.log.operations[this.at] as Operation);
  }

  /** Everything that was synced, and of the rest any part in any order. */
  afterCut(random: Random): Map<string, Found> {
    const found = new Map<string, Found>();
    const look = (node: DiskNode, name: string) => {
      if (!node.entries) return void found.set(name, this.fileAfterCut(node.id, random));
      if (name !== '') found.set(name, undefined);
      const entries = this.entriesAfterCut(node.id, random);
      for (const [each, child] of entries) look(child, path.join(name, each));
    };
    look(this.root, '');
    return found;
  }

  private take(place: string, node: DiskNode): void {
    if (!node.entries) {
      this.files.set(node.id, { version: `${node.id}`, content: readFileSync(place), pending: [] });
      return;
    }
    this.directories.set(node.id, { entries: new Map(node.entries), pending: [] });
    for (const [name, child] of node.entries) this.take(path.join(place, name), child);
  }

  private carryOut(operation: Operation): void {
    if ('file' in operation) this.files.get(operation.file)?.pending.push(operation);
    else if (operation.kind === 'sync') this.sync(operation.node);
    else {
      if (operation.kind === 'name') this.add(operation.node);
      this.directories.get(operation.directory)?.pending.push(operation);
    }
  }

  private add(node: DiskNode): void {
    if (node.entries) this.directories.set(node.id, { entries: new Map(), pending: [] });
    else this.files.set(node.id, { version: `${node.id}`, content: Buffer.alloc(0), pending: [] });
  }

  private sync(id: number): void {
    const directory = this.directories.get(id);
    for (const naming of directory?.pending.splice(0) ?? []) apply(naming, directory?.entries as Entries);
    const file = this.files.get(id);
    if (!file || file.pending.length === 0) return;
    for (const change of file.pending.splice(0)) file.content = changed(file.content, change);
    file.version = `${id} at ${this.at}`;
  }

  private fileAfterCut(id: number, random: Random): Found {
    const { version, content, pending } = this.files.get(id) as FileOnDisk;
    const order = random.chance(0.5) ? pending : random.shuffled(pending);
    const share = random.pick([0, 0.5, 1]);
    const kept = order.filter(() => random.chance(share));
    if (kept.length === 0) return { version, content };
    const parts = kept.flatMap((change) => (random.chance(0.5) ? [change] : torn(change, random)));
    const after = parts.reduce(changed, Buffer.from(content));
    return { version: `${id} cut at ${this.at}, ${random.next()}`, content: after };
  }

  private entriesAfterCut(id: number, random: Random): Entries {
    const { entries, pending } = this.directories.get(id) as DirectoryOnDisk;
    const after = new Map(entries);
    const share = random.pick([0, 0.5, 1]);
    for (const naming of pending) if (random.chance(share)) apply(naming, after);
    return after;
  }
}

type Entries = Map<string, DiskNode>;

function apply(naming: Naming, entries: Entries): void {
  if (naming.kind === 'name') entries.set(naming.name, naming.node);
  else if (naming.kind === 'unname') entries.delete(naming.name);
  else {
    entries.delete(naming.from);
    entries.set(naming.to, naming.node);
  }
}

/** May change the buffer that it is given. */
function changed(content: Buffer, change: Change): Buffer {
  const size = change.kind === 'write' ? change.at + change.bytes.length : change.size;
  const isLonger = size > content.length;
  const after = isLonger ? Buffer.concat([content, Buffer.alloc(size - content.length)]) : content;
  if (change.kind === 'truncate') return after.subarray(0, size);
  after.set(change.bytes, change.at);
  return after;
}

/** Some of its sectors. */
function torn(change: Change, random: Random): Change[] {
  if (change.kind === 'truncate') return [change];
  const sectors: Change[] = [];
  for (let from = 0; from < change.bytes.length; ) {
    const to = Math.min(from + SECTOR - ((change.at + from) % SECTOR), change.bytes.length);
    const at = change.at + from;
    if (random.chance(0.5)) sectors.push({ ...change, at, bytes: change.bytes.subarray(from, to) });
    from = to;
  }
  return random.shuffled(sectors);
}

/** A folder that is made to hold one disk after the other. It writes only what differs from what is there. */
export class Image {
  private readonly written = new Map<string, { version: string; stamp: string }>();

  constructor(readonly folder: string) {}

  hold(found: Map<string, Found>): void {
    mkdirSync(this.folder, { recursive: true });
    for (const name of readdirSync(this.folder, { recursive: true, encoding: 'utf8' }))
      if (!found.has(name)) rmSync(path.join(this.folder, name), { recursive: true, force: true });
    for (const [name, file] of found) {
      const place = path.join(this.folder, name);
      if (!file) mkdirSync(place, { recursive: true });
      else if (!this.holds(name, file.version)) {
        writeFileSync(place, file.content);
        this.written.set(name, { version: file.version, stamp: stampOf(place) });
      }
    }
  }

  private holds(name: string, version: string): boolean {
    const written = this.written.get(name);
    return written?.version === version && written.stamp === stampOf(path.join(this.folder, name));
  }
}

const stampOf = (place: string): string => {
  const found = lstatSync(place, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs}` : 'none';
};
