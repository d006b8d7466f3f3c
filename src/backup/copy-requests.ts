import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from 'pino';
import type { CopyOptions } from '../database/backend.js';
import type { Database } from '../database/database.js';
import type { DataDirectory } from '../files/data-directory.js';
import { shareCall } from '../queues/shared-call.js';
import { Heartbeat, keepHeartbeat } from './heartbeat-file.js';

/** In milliseconds: how often the service looks for requests. */
const INTERVAL = 500;

/**
 * The files of one request for a copy, in the data directory, which only its owner may enter. That is why they are
 * files: a socket's path may only be some hundred characters long, and Windows has none.
 */
export function requestFiles(directory: DataDirectory, id: string) {
  const named = (ending: string) => path.join(directory.file('copies'), `${id}${ending}`);
  return {
    /** Written again and again by the process that asks. */
    request: named('.request'),
    /** Written again and again by the service while it copies. */
    taken: named('.taken'),
    /** Written at the end: empty, or the reason why there is no copy. */
    done: named('.done'),
    copy: named(''),
  };
}

/** Makes copies of the embedded database for other processes, since only one may open it. */
export class CopyRequests {
  /** Copies that this process made without being asked by another. */
  private readonly own = new Set<string>();
  private readonly heartbeats = new Map<string, Heartbeat>();
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private readonly lookOnce = shareCall(() => this.look());

  constructor(
    private readonly directory: DataDirectory,
    private readonly database: Database,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.looking = this.lookOnce();
    }, INTERVAL);
    this.timer.unref();
  }

  /** A copy that is being made for another process is given up. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.stopped.abort();
    await this.looking;
  }

  /** The copy is there for as long as the work takes. */
  async forOwnUse<T>(work: (folder: string) => Promise<T>, options: CopyOptions): Promise<T> {
    const id = randomUUID();
    const { copy } = requestFiles(this.directory, id);
    this.own.add(id);
    try {
      await mkdir(path.dirname(copy), { recursive: true, mode: 0o700 });
      await this.copyTo(copy, options);
      return await work(copy);
    } finally {
      await this.discard(id);
      this.own.delete(id);
    }
  }

  private async look(): Promise<void> {
    const names = await readdir(this.directory.file('copies')).catch(() => []); // made by who asks first
    for (const id of new Set(names.map((name) => path.parse(name).name))) {
      if (this.own.has(id)) continue;
      const files = requestFiles(this.directory, id);
      try {
        if (this.isAbandoned(id, files.request)) await this.discard(id);
        else if (!existsSync(files.done)) await this.answer(files);
      } catch (error) {
        this.log.warn({ err: error }, 'A request for a copy of the database could not be answered');
      }
    }
  }

  private isAbandoned(id: string, request: string): boolean {
    const heartbeat = this.heartbeats.get(id) ?? new Heartbeat();
    this.heartbeats.set(id, heartbeat);
    const found = statSync(request, { throwIfNoEntry: false });
    return !found || heartbeat.hasStopped(found.mtimeMs);
  }

  private async discard(id: string): Promise<void> {
    this.heartbeats.delete(id);
    const { request, ...others } = requestFiles(this.directory, id);
    for (const file of [...Object.values(others), request]) await rm(file, { recursive: true, force: true });
  }

  private async answer({ taken, done, copy }: ReturnType<typeof requestFiles>): Promise<void> {
    const endHeartbeat = await keepHeartbeat(taken);
    const { signal } = this.stopped;
    const problem = await this.copyTo(copy, { signal }).catch((error: unknown) => {
      if (signal.aborted) return 'It is stopping.';
      this.log.warn({ err: error }, 'The database could not be copied for a backup');
      return (error as Error).message;
    });
    endHeartbeat();
    await writeFile(`${taken}.draft`, problem, { mode: 0o600 });
    await rename(`${taken}.draft`, done);
  }

  private async copyTo(folder: string, options: CopyOptions): Promise<string> {
    await rm(folder, { recursive: true, force: true });
    const startedAt = performance.now();
    await this.database.copyTo(folder, options);
    const ms = Math.round(performance.now() - startedAt);
    this.log.info({ ms }, 'Copied the database for a backup');
    return '';
  }
}
