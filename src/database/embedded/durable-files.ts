import { fsyncSync, renameSync } from 'node:fs';
import path from 'node:path';
import { syncDirectory } from '../../fsync.js';

/** A file or directory as Emscripten knows it. */
interface FileNode {
  name: string;
  parent: FileNode;
  mode: number;
}

interface OpenFile {
  node: FileNode;
  /** The descriptor; directories have none. */
  nfd?: number;
}

/** Emscripten's file system on the folders of the machine, one object per database. */
interface NodeFiles {
  realPath(node: FileNode): string;
  /** Throws errors that PostgreSQL understands. */
  tryFSOperation<T>(work: () => T): T;
  node_ops: {
    mknod(parent: FileNode, name: string, mode: number, device: number): FileNode;
    rename(node: FileNode, directory: FileNode, name: string): void;
  };
  stream_ops: { fsync?(file: OpenFile): number };
}

export interface ModuleWithFiles {
  FS: { filesystems: { NODEFS: NodeFiles } };
}

/**
 * PGlite's files have no fsync: PostgreSQL's succeeds and does nothing. As on the usual file systems of Linux, and as
 * PostgreSQL counts on, one of a new file takes its name to the disk too.
 *
 * The `rename` is replaced because PGlite's first removes whatever it finds under the new path inside its own file
 * system. It never finds the file meant there, and must not: between a removal and a rename, neither is there.
 */
export function makeDurable({ FS }: ModuleWithFiles): void {
  const files = FS.filesystems.NODEFS;
  /** What has a name that may not be on the disk yet. */
  const unsynced = new WeakSet<FileNode>();

  const { mknod } = files.node_ops;
  files.node_ops.mknod = (parent, name, mode, device) => {
    const node = mknod(parent, name, mode, device);
    unsynced.add(node);
    return node;
  };

  files.node_ops.rename = (node, directory, name) => {
    const [from, to] = [files.realPath(node), path.join(files.realPath(directory), name)];
    files.tryFSOperation(() => renameSync(from, to));
    node.name = name;
    unsynced.add(node);
  };

  files.stream_ops.fsync = ({ node, nfd }) => {
    files.tryFSOperation(() => {
      if (nfd === undefined) syncDirectory(files.realPath(node));
      else fsyncSync(nfd);
      if (unsynced.delete(node)) syncDirectory(files.realPath(node.parent));
    });
    return 0;
  };
}
