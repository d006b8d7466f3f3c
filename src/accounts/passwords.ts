import { createHmac, randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../errors.js';
import { FairQueue } from '../fair-queue.js';
import { entryFile } from '../files/project.js';
import { currentRequest, inLine, isPointless, outcomeSoFar, type Request } from '../request.js';

export type HashJob = { text: string; cost: number } | { text: string; hash: string };

interface Waiting {
  job: HashJob;
  asker: string;
  request: Request | null;
  resolve: (answer: string | boolean) => void;
  reject: (error: unknown) => void;
  /** Rejects the job: the service is overloaded. */
  refuse: () => void;
}

export interface PasswordSettings {
  hashWorkers: number;
  hashQueue: number;
  hashCost: number;
}

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
  private idle: Worker[] = [];
  private readonly busy = new Map<Worker, Waiting>();
  /** Askers take turns, so that many jobs of one do not delay the others. */
  private readonly queue = new FairQueue<Waiting>();
  private decoy: Promise<string> | undefined;

  constructor(private readonly settings: PasswordSettings) {
    for (let started = 0; started < settings.hashWorkers; started += 1) this.startWorker();
    this.makeDecoy().catch(() => {}); // the next log-in that needs it tries again
  }

  /** How many wait to be hashed. */
  get waiting(): number {
    return this.queue.size;
  }

  async hash(password: string): Promise<string> {
    return SCHEME + (await this.run({ text: digest(password), cost: this.settings.hashCost }));
  }

  /** Hashes even when no user is found, so that the response time does not reveal which e-mails are known. */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored?.startsWith(SCHEME) ? stored : undefined;
    const hash = (known ?? (await this.makeDecoy())).slice(SCHEME.length);
    const isMatch = await this.run({ text: digest(password), hash });
    return known !== undefined && isMatch === true;
  }

  /** Made once and ahead of time, so that the first log-in with an unknown e-mail takes no longer than any other. */
  private makeDecoy(): Promise<string> {
    this.decoy ??= this.hash(randomUUID()).catch((error: unknown) => {
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }

  async close(): Promise<void> {
    const workers = [...this.workers];
    this.workers.clear();
    for (let waiting = this.queue.take(); waiting; waiting = this.queue.take()) waiting.refuse();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private run(job: HashJob): Promise<string | boolean> {
    return inLine(() => this.waitFor(job));
  }

  private waitFor(job: HashJob): Promise<string | boolean> {
    const request = currentRequest();
    const asker = request?.asker ?? '';
    return new Promise((resolve, reject) => {
      const refuse = () => reject(unavailable(outcomeSoFar(request), 'OVERLOADED'));
      if (this.queue.size >= this.settings.hashQueue) this.dropAbandoned();
      if (this.queue.size >= this.settings.hashQueue) {
        const last = this.queue.makeRoomFor(asker);
        if (!last) return refuse();
        last.refuse();
      }
      this.queue.add(asker, { job, request, asker, resolve, reject, refuse });
      this.next();
    });
  }

  private dropAbandoned(): void {
    const waiting: Waiting[] = [];
    for (let next = this.queue.take(); next; next = this.queue.take()) waiting.push(next);
    for (const each of waiting) {
      if (isPointless(each.request)) each.refuse();
      else this.queue.add(each.asker, each);
    }
  }

  private next(): void {
    if (this.idle.length === 0) return;
    let waiting = this.queue.take();
    for (; waiting && isPointless(waiting.request); waiting = this.queue.take()) waiting.refuse();
    const worker = waiting && this.idle.pop();
    if (!worker || !waiting) return;
    this.busy.set(worker, waiting);
    worker.ref();
    worker.postMessage(waiting.job);
  }

  private startWorker(): void {
    const worker = new Worker(entryFile('accounts/hash-worker'));
    this.workers.add(worker);
    worker.on('message', (answer: string | boolean) => {
      this.take(worker)?.resolve(answer);
      this.rest(worker);
    });
    worker.on('error', (error) => this.take(worker)?.reject(error));
    worker.on('exit', () => {
      this.take(worker)?.refuse();
      this.idle = this.idle.filter((other) => other !== worker);
      if (this.workers.delete(worker)) this.startWorker();
    });
    this.rest(worker);
  }

  private take(worker: Worker): Waiting | undefined {
    const waiting = this.busy.get(worker);
    this.busy.delete(worker);
    return waiting;
  }

  private rest(worker: Worker): void {
    worker.unref(); // an idle thread must not keep the process alive
    this.idle.push(worker);
    this.next();
  }
}
