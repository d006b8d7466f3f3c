import { fsyncSync } from 'node:fs';
import { syncDirectory } from '../../files/fsync.js';

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
    /** Gives each new file its mode. */
    setattr(node: FileNode, attributes: { mode?: number }): void;
    rename(node: FileNode, directory: FileNode, name: string): void;
  };
  stream_ops: { fsync?(file: OpenFile): number };
}

export interface ModuleWithFiles {
  NODEFS: NodeFiles;
}

/**
 * PGlite's files have no fsync: PostgreSQL's succeeds and does nothing. As on the usual file systems of Linux, and as
 * PostgreSQL counts on, one of a new file takes its name to the disk too.
 */
export function makeDurable({ NODEFS: files }: ModuleWithFiles): void {
  /** What has a name that may not be on the disk yet. */
  const unsynced = new WeakSet<FileNode>();

  const { mknod, rename } = files.node_ops;
  files.node_ops.mknod = (parent, name, mode, device) => {
    const node = mknod(parent, name, mode, device);
    unsynced.add(node);
    return node;
  };

  files.node_ops.rename = (node, directory, name) => {
    rename(node, directory, name);
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

/** PostgreSQL leaves that to the `umask` of its process, which PGlite does not have. */
export function keepPrivate({ NODEFS }: ModuleWithFiles): void {
  const { setattr } = NODEFS.node_ops;
  NODEFS.node_ops.setattr = (node, { mode, ...others }) =>
    setattr(node, mode === undefined ? others : { ...others, mode: mode & ~OTHERS });
}

const OTHERS = 0o077;
