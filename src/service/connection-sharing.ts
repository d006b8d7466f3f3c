import type { SendHandle } from 'node:child_process';
import type { Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Handle } from '../http/connections.js';
import type { FromPrimary } from './worker-messages.js';

/** In milliseconds: a worker that has told nothing for so long may hang, and takes no part. */
const FRESH_FOR = 2_000;

/** More connections than another worker that are no reason to move one, and the part of its own. */
const MAY_DIFFER = { by: 2, part: 1 / 4 };

interface Told {
  connections: number;
  at: number;
}

/**
 * Evens out the connections of the workers. The system gives new ones to whichever worker asks first, at rest always
 * the same one. So the worker with most hands some that lie idle on to the one with fewest, one at a time.
 */
export class ConnectionSharing {
  private readonly told = new Map<Worker, Told>();
  private move: { from: Worker; done: () => void } | undefined;
  private isPaused = false;
  private settled = Promise.resolve();

  constructor(private readonly serving: () => Worker[]) {}

  note(worker: Worker, connections: number): void {
    this.told.set(worker, { connections, at: performance.now() });
    this.even();
  }

  /** A worker hands a connection on, or has none to hand on. */
  passOn(handle: Handle | undefined): void {
    if (handle) this.give(handle);
    else this.end();
  }

  /** A worker has ended. */
  forget(worker: Worker): void {
    this.told.delete(worker);
    if (this.move?.from === worker) this.end();
  }

  /** Lets go of workers while no connection is under way between them, unless one of them hangs. */
  async between<T>(letGo: () => T): Promise<T> {
    this.isPaused = true;
    await Promise.race([this.settled, delay(FRESH_FOR, undefined, { ref: false })]);
    const gone = letGo();
    this.isPaused = false;
    return gone;
  }

  private even(): void {
    if (this.move || this.isPaused) return;
    const ranked = this.ranked();
    const [fewest, most] = [ranked.at(0), ranked.at(-1)];
    if (!fewest || !most) return;
    const { by, part } = MAY_DIFFER;
    if (most.connections - fewest.connections <= by + part * most.connections) return;
    this.settled = new Promise((done) => {
      this.move = { from: most.worker, done };
    });
    const message: FromPrimary = 'hand on a connection';
    most.worker.send(message, undefined, undefined, (error) => error && this.end());
  }

  /** To the worker with fewest; to the next one if that has just died. */
  private give(handle: Handle): void {
    const fewest = this.ranked().at(0)?.worker ?? this.serving().at(0);
    if (fewest) this.send(handle, fewest);
    else {
      handle.close();
      this.end();
    }
  }

  private send(handle: Handle, fewest: Worker): void {
    const message: FromPrimary = 'take the connection';
    fewest.send(message, handle as SendHandle, undefined, (error) => {
      if (error) {
        this.told.delete(fewest);
        return void setImmediate(() => this.give(handle)); // by then its end may be known
      }
      handle.close();
      this.count(fewest, 1);
      if (this.move) this.count(this.move.from, -1);
      this.end();
      this.even();
    });
  }

  private end(): void {
    this.move?.done();
    this.move = undefined;
  }

  private count(worker: Worker, by: number): void {
    const told = this.told.get(worker);
    if (told) told.connections += by;
  }

  private ranked(): (Told & { worker: Worker })[] {
    const since = performance.now() - FRESH_FOR;
    const serving = new Set(this.serving());
    return [...this.told]
      .map(([worker, told]) => ({ worker, ...told }))
      .filter(({ worker, at }) => serving.has(worker) && at > since)
      .sort((one, other) => one.connections - other.connections);
  }
}
