import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

type Node = object;

/** What changes files, of the file system that PGlite runs on. */
export interface NodeFiles {
  realPath(node: Node): string;
  node_ops: {
    setattr(node: Node, attributes: { size?: number }): void;
    mknod(parent: Node, name: string, ...rest: unknown[]): unknown;
    rename(node: Node, parent: Node, name: string): void;
    unlink(parent: Node, name: string): void;
    rmdir(parent: Node, name: string): void;
  };
  stream_ops: {
    write(stream: { node: Node }, buffer: unknown, offset: number, length: number, position: number): number;
  };
}

/**
 * PGlite finds out that a database is damaged while it is changing it. So everything it changes on
 * the way to an open database is noted, and can be taken back.
 */
export class Journal {
  private readonly undo: (() => void)[] = [];
  private unwatch = () => {};

  watch({ realPath, node_ops: nodes, stream_ops: streams }: NodeFiles): void {
    const within = (parent: Node, name: string) => path.join(realPath(parent), name);
    const { setattr, mknod, rename, unlink, rmdir } = nodes;
    const { write } = streams;
    this.unwatch = () => {
      Object.assign(nodes, { setattr, mknod, rename, unlink, rmdir });
      Object.assign(streams, { write });
    };
    streams.write = (stream, buffer, offset, length, position) => {
      this.noteBytes(realPath(stream.node), position, length);
      return write(stream, buffer, offset, length, position);
    };
    nodes.setattr = (node, attributes) => {
      if (attributes.size !== undefined) this.noteBytes(realPath(node), attributes.size);
      setattr(node, attributes);
    };
    nodes.unlink = (parent, name) => {
      this.noteFile(within(parent, name));
      unlink(parent, name);
    };
    nodes.rename = (node, parent, name) => {
      const [from, to] = [realPath(node), within(parent, name)];
      if (existsSync(to)) this.noteFile(to);
      rename(node, parent, name);
      this.undo.push(() => renameSync(to, from));
    };
    nodes.mknod = (parent, name, ...rest) => {
      const made = mknod(parent, name, ...rest);
      this.undo.push(() => rmSync(within(parent, name), { recursive: true }));
      return made;
    };
    nodes.rmdir = (parent, name) => {
      rmdir(parent, name);
      this.undo.push(() => mkdirSync(within(parent, name)));
    };
  }

  /** From now on changes are meant. */
  close(): void {
    this.unwatch();
    this.undo.length = 0;
  }

  takeBack(): void {
    this.unwatch();
    for (const undo of this.undo.reverse()) undo();
  }

  private noteFile(file: string): void {
    const [bytes, { mode }] = [readFileSync(file), statSync(file)];
    this.undo.push(() => writeFileSync(file, bytes, { mode }));
  }

  private noteBytes(file: string, position: number, length = Number.POSITIVE_INFINITY): void {
    if (!existsSync(file)) return; // open, and removed since
    const handle = openSync(file, 'r');
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - position)));
    readSync(handle, bytes, 0, bytes.length, position);
    closeSync(handle);
    this.undo.push(() => {
      const again = openSync(file, 'r+');
      writeSync(again, bytes, 0, bytes.length, position);
      ftruncateSync(again, size);
      closeSync(again);
    });
  }
}
