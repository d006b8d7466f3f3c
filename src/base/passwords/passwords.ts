import { createHmac, randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { overloaded } from '../errors.js';
import { entryFile } from '../files/project.js';
import { FairSemaphore } from '../queues/fair-semaphore.js';
import { shareSuccess } from '../queues/shared-call.js';
import { allowTime, currentRequest, suspended } from '../request.js';

export type HashJob = { text: string; cost: number } | { text: string; hash: string };

interface Job {
  /** Of its thread. */
  niceness: number;
  resolve: (answer: string | boolean) => void;
  reject: (error: unknown) => void;
}

export interface PasswordSettings {
  hashCost: number;
  hashThreads?: number;
  timeouts?: { hashing: number };
  patienceMs?: number;
}

/**
 * Threads are polite to other requests, until somebody has waited for so long: whoever waits longer is hashed by one that
 * is not, or a busy machine would never come to the last of a crowd. One at a time: in a storm almost all have waited, and
 * what is left of the cores is for everything else.
 */
const PATIENCE_MS = 2_500;

/** How many may wait. More would take memory and wait in vain. */
const ROOM = 300;

/**
 * A hash takes all of a core. Two, so that nobody waits for a whole one of another where a core is idle; more would
 * take the cores from everything else.
 */
export const HASH_THREADS = 2;

/** A storm of sign-ups takes less from other requests so: docs/decisions/passwords.md has the figures. */
const NICENESS = 7;

/** A prefix of stored hashes, so that hashes of a later scheme can be told apart. */
const SCHEME = 'hmac-sha384+bcrypt:';

/**
 * bcrypt ignores everything after 72 bytes. The digest is shorter than that, so every character of a long password
 * counts.
 */
const digest = (password: string) =>
  createHmac('sha384', 'steady password digest').update(password).digest('base64');

/** Hashes in worker threads: on the event loop, one hash would block every other request. */
export class Passwords {
  private readonly workers = new Set<Worker>();
  /** The idle threads of each niceness. */
  private readonly idle = new Map<number, Worker[]>();
  private readonly busy = new Map<Worker, Job>();
  private readonly semaphore: FairSemaphore;
  private isClosed = false;
  /** Made once and ahead of time, so that the first log-in with an unknown e-mail takes no longer than any other. */
  private readonly decoy = shareSuccess(() => this.hash(randomUUID()));

  constructor(private readonly settings: PasswordSettings) {
    const { hashThreads = HASH_THREADS } = settings;
    this.semaphore = new FairSemaphore({ size: hashThreads, room: ROOM + hashThreads });
    this.decoy().catch(() => {}); // the next log-in that needs it tries again
  }

  /** How many wait to be hashed. */
  get waiting(): number {
    return this.semaphore.waiting;
  }

  async hash(password: string): Promise<string> {
    return SCHEME + (await this.run({ text: digest(password), cost: this.settings.hashCost }));
  }

  /** Hashes even when no user is found, so that the response time does not reveal which e-mails are known. */
  async matches(password: string, stored: string | null | undefined): Promise<boolean> {
    const known = stored?.startsWith(SCHEME) ? stored : undefined;
    const hash = (known ?? (await this.decoy())).slice(SCHEME.length);
    const isMatch = await this.run({ text: digest(password), hash });
    return known !== undefined && isMatch === true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.workers].map((worker) => worker.terminate()));
  }

  /** Hashing takes none of the time for statements either. */
  private run(job: HashJob): Promise<string | boolean> {
    const asker = currentRequest()?.asker ?? '';
    const { timeouts, patienceMs = PATIENCE_MS } = this.settings;
    if (timeouts) allowTime(timeouts.hashing);
    const since = performance.now();
    return suspended(() =>
      this.semaphore.withPermit(asker, () => {
        const isPatient = performance.now() - since < patienceMs;
        return this.onWorker(job, isPatient || this.isHurrying() ? NICENESS : 0);
      }),
    );
  }

  private isHurrying(): boolean {
    return [...this.busy.values()].some(({ niceness }) => niceness === 0);
  }

  private onWorker(job: HashJob, niceness: number): Promise<string | boolean> {
    if (this.isClosed) throw overloaded();
    const worker = this.idleAt(niceness).pop() ?? this.startWorker(niceness);
    return new Promise((resolve, reject) => {
      this.busy.set(worker, { niceness, resolve, reject });
      worker.ref();
      worker.postMessage(job);
    });
  }

  /** Each takes twelve megabytes, so it is started when it is needed. */
  private startWorker(niceness: number): Worker {
    const worker = new Worker(entryFile('base/passwords/hash-worker'), { workerData: niceness });
    let failure: unknown;
    this.workers.add(worker);
    worker.on('message', (answer: string | boolean) => {
      const job = this.busy.get(worker);
      worker.unref(); // an idle thread must not keep the process alive
      this.busy.delete(worker);
      this.idleAt(niceness).push(worker);
      job?.resolve(answer);
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => {
      const job = this.busy.get(worker);
      this.busy.delete(worker);
      this.idle.set(
        niceness,
        this.idleAt(niceness).filter((other) => other !== worker),
      );
      this.workers.delete(worker);
      job?.reject(failure ?? overloaded());
    });
    return worker;
  }

  private idleAt(niceness: number): Worker[] {
    const found = this.idle.get(niceness) ?? [];
    this.idle.set(niceness, found);
    return found;
  }
}
