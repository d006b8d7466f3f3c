import fs from 'node:fs';
import path from 'node:path';
import { type Functions, replaceFunctions } from './replaced-fs.js';

/** A file or directory, whatever its names are and have been. */
export interface DiskNode {
  id: number;
  /** Of a directory. */
  entries?: Map<string, DiskNode>;
}

/** Something that changes a disk, or waits for it. */
export type Operation =
  | { kind: 'write'; file: number; at: number; bytes: Buffer }
  | { kind: 'truncate'; file: number; size: number }
  | { kind: 'sync'; node: number }
  | { kind: 'name'; directory: number; name: string; node: DiskNode }
  | { kind: 'unname'; directory: number; name: string }
  | { kind: 'rename'; directory: number; from: string; to: string; node: DiskNode; replaces: boolean };

/** Records what this process does below a folder, from `start` to `stop`. One at a time. */
export class DiskLog {
  readonly operations: Operation[] = [];
  readonly root: DiskNode;
  private readonly open = new Map<number, DiskNode>();
  stop: () => void = () => {};
  private nodes = 0;

  constructor(private readonly folder: string) {
    this.root = this.found(folder);
  }

  /** The number of operations so far. */
  get position(): number {
    return this.operations.length;
  }

  start(): void {
    this.stop = replaceFunctions(this.recorders);
  }

  private readonly recorders: Functions = {
    openSync: (open, file: string, ...given) => {
      const descriptor: number = open(file, ...given);
      this.note(file, (directory, name) => {
        const node = directory.entries?.get(name) ?? this.name(directory, name, { id: this.nextId() });
        this.open.set(descriptor, node);
      });
      return descriptor;
    },
    closeSync: (close, descriptor: number) => {
      this.open.delete(descriptor);
      return close(descriptor);
    },
    writeSync: (write, descriptor: number, from: Uint8Array, ...[offset, length, at, ...rest]) => {
      const written: number = write(descriptor, from, offset, length, at, ...rest);
      const file = this.open.get(descriptor)?.id;
      const bytes = Buffer.from(Buffer.from(from.buffer, from.byteOffset + offset, written));
      if (file !== undefined) this.operations.push({ kind: 'write', file, at, bytes });
      return written;
    },
    fsyncSync: (sync, descriptor: number) => {
      sync(descriptor);
      const node = this.open.get(descriptor)?.id;
      if (node !== undefined) this.operations.push({ kind: 'sync', node });
    },
    writeFileSync: (write, file: string, text: string, ...given) => {
      write(file, text, ...given);
      this.note(file, (directory, name) => {
        if (text !== '') throw new Error('Nobody has written a file in one go yet');
        if (!directory.entries?.has(name)) this.name(directory, name, { id: this.nextId() });
      });
    },
    truncateSync: (truncate, file: string, size: number) => {
      truncate(file, size);
      this.note(file, (directory, name) => {
        const node = directory.entries?.get(name);
        if (node) this.operations.push({ kind: 'truncate', file: node.id, size });
      });
    },
    mkdirSync: (make, place: string, ...given) => {
      make(place, ...given);
      this.note(place, (directory, name) => {
        this.name(directory, name, { id: this.nextId(), entries: new Map() });
      });
    },
    unlinkSync: (remove, place: string) => this.unname(remove, place),
    rmdirSync: (remove, place: string) => this.unname(remove, place),
    renameSync: (rename, from: string, to: string) => {
      rename(from, to);
      this.note(from, (directory, name) => {
        const node = directory.entries?.get(name);
        if (path.dirname(from) !== path.dirname(to) || !node)
          throw new Error('Nobody has moved a file elsewhere yet');
        const target = path.basename(to);
        const replaces = directory.entries?.has(target) ?? false;
        directory.entries?.delete(name);
        directory.entries?.set(target, node);
        const place = { directory: directory.id, from: name, to: target };
        this.operations.push({ kind: 'rename', ...place, node, replaces });
      });
    },
  };

  private unname(remove: (place: string) => void, place: string): void {
    remove(place);
    this.note(place, (directory, name) => {
      directory.entries?.delete(name);
      this.operations.push({ kind: 'unname', directory: directory.id, name });
    });
  }

  private name(directory: DiskNode, name: string, node: DiskNode): DiskNode {
    directory.entries?.set(name, node);
    this.operations.push({ kind: 'name', directory: directory.id, name, node });
    return node;
  }

  /** Of what lies elsewhere, nothing is noted. */
  private note(place: unknown, work: (directory: DiskNode, name: string) => void): void {
    if (typeof place !== 'string' || !`${place}/`.startsWith(`${this.folder}/`)) return;
    const names = path.relative(this.folder, place).split(path.sep).filter(Boolean);
    const name = names.pop();
    if (name === undefined) {
      work({ id: 0, entries: new Map([['', this.root]]) }, '');
      return;
    }
    let directory = this.root;
    for (const each of names) directory = directory.entries?.get(each) ?? directory;
    work(directory, name);
  }

  private found(place: string): DiskNode {
    const id = this.nextId();
    if (!fs.statSync(place).isDirectory()) return { id };
    const names = fs.readdirSync(place);
    return { id, entries: new Map(names.map((name) => [name, this.found(path.join(place, name))])) };
  }

  private nextId(): number {
    this.nodes += 1;
    return this.nodes;
  }
}
