import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../../base/config.js';
import { DataDirectory } from '../../base/files/data-directory.js';
import { BackOff } from '../../base/queues/back-off.js';
import { type Embedded, startEmbedded } from '../../database/embedded/open.js';
import { createLog } from '../../telemetry/log.js';
import { embeddedOptions } from '../startup/instance.js';
import { secretsForWorkers } from '../startup/secrets.js';
import { DRAIN_LIMIT_MS, Ending, fail } from './ending.js';
import { requireFree, SERVICE_ADDRESS } from './listen.js';
import { listenForMetrics } from './metrics-listener.js';
import type { MetricsOfWorkers } from './metrics-of-workers.js';
import type { FromPrimary, FromWorker } from './worker-messages.js';

/** Before a worker is replaced. */
const PAUSES_MS = { first: 100, last: 30_000 };

/** A worker that has lived this long did not die of what the one before died of. */
const SETTLED_MS = 60_000;

/** A worker ends its drain before, unless it hangs. */
const HANGS_AFTER_MS = DRAIN_LIMIT_MS + 1_000;

const DRAINED = 'code 0';
const FAILED = 'code 1';

interface Member {
  worker: Worker;
  since: number;
  state: 'starting' | 'serving' | 'leaving';
  /** Resolves with its description of the service once it listens; with undefined if it ends before. */
  listening: Promise<string | undefined>;
  gone: Promise<void>;
}

/** The primary: it answers nothing itself, and keeps as many workers at it as are wanted. */
export class Workers {
  private readonly members = new Set<Member>();
  private readonly ending = new Ending();
  private readonly log: Logger;
  /** Runs the streak job and makes backups. */
  private leader: Member | undefined;
  /** Whether all workers have listened. */
  private isUp = false;
  private readonly backOff = new BackOff(PAUSES_MS);
  private replacing = Promise.resolve();
  /** Whether a worker has ended before it had answered everything. */
  private hasFailed = false;
  private secrets: Record<string, string> = {};
  private metrics: MetricsOfWorkers | undefined;
  /** Workers come and go, and the database stays. */
  private embedded: Embedded | undefined;

  constructor(private readonly config: Config) {
    this.log = createLog(config);
  }

  async start(): Promise<void> {
    for (const line of this.config.warnings) this.log.warn(line);
    this.obeySignals();
    await requireFree(this.config, SERVICE_ADDRESS);
    await this.listenForMetrics();
    this.secrets = secretsForWorkers(this.config);
    if (!this.config.databaseUrl) await this.startDatabase();
    this.leader = this.add();
    const description = await this.leader.listening;
    this.ending.drainsBy(() => this.drain());
    while (this.members.size < this.config.workers) this.add();
    await Promise.all([...this.members].map(({ listening }) => listening));
    if (this.ending.hasBegun) return;
    this.isUp = true;
    this.log.info(description);
  }

  private async startDatabase(): Promise<void> {
    const onWarning = (line: string) => this.log.warn(line);
    const onMaking = (line: string) => this.log.info(line);
    const options = embeddedOptions(this.config, { onWarning, onMaking, onEnd: fail });
    this.embedded = await startEmbedded(new DataDirectory(this.config.dataDir), options);
  }

  /** Before anything is opened: a port that is taken stops the start without side effects. */
  private async listenForMetrics(): Promise<void> {
    const { metrics: listener } = this.config;
    if (!listener) return;
    const { MetricsOfWorkers } = await import('./metrics-of-workers.js');
    const metrics = new MetricsOfWorkers(() => this.serving().map(({ worker }) => worker));
    await listenForMetrics({ ...listener, text: () => metrics.text() });
    this.metrics = metrics;
  }

  private obeySignals(): void {
    process.on('SIGTERM', () => this.ending.ask());
    process.on('SIGINT', () => this.ending.ask());
    process.on('SIGHUP', () => this.inTurn(() => this.replaceAll()));
    process.on('exit', () => {
      for (const { worker } of this.members) worker.process.kill('SIGKILL');
    });
  }

  private add(): Member {
    // The same number for all, where it was `auto`.
    const worker = cluster.fork({ ...this.secrets, WORKERS: `${this.config.workers}` });
    const ended = endOf(worker);
    const listening = new Promise<string | undefined>((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if (message === 'signalled') this.inTurn(() => this.replace(member));
        else if ('listens' in message) {
          member.state = 'serving';
          resolve(message.listens);
        }
      });
      ended.then(() => resolve(undefined));
    });
    const gone = ended.then((how) => this.onEnd(member, how));
    const member: Member = { worker, since: performance.now(), state: 'starting', listening, gone };
    this.members.add(member);
    return member;
  }

  private onEnd(member: Member, how: string): void {
    this.members.delete(member);
    this.metrics?.keepOf(member.worker);
    if (this.ending.hasBegun) {
      if (member.state === 'leaving' && how !== DRAINED) this.hasFailed = true;
      return;
    }
    const { id } = member.worker;
    if (!this.isUp) {
      // It has printed the reason of a start that failed.
      if (how === FAILED) this.ending.ask(1);
      else this.giveUp(`Worker ${id} ended with ${how} before the service was up.`);
    } else if (member.state !== 'leaving' || how !== DRAINED) this.replaceDead(member, how);
  }

  private replaceDead({ worker, since }: Member, how: string): void {
    this.log.error({ worker: worker.id }, `A worker ended with ${how}`);
    if (this.serving().length === 0) {
      this.giveUp(`No worker is left: the last one ended with ${how}.`);
      return;
    }
    this.metrics?.restarts.inc();
    this.appointLeader();
    if (performance.now() - since > SETTLED_MS) this.backOff.reset();
    this.fillLater();
  }

  private giveUp(line: string): void {
    console.error(line);
    this.ending.ask(1);
  }

  private fillLater(): void {
    setTimeout(() => this.fill(), this.backOff.next());
  }

  private fill(): void {
    if (this.ending.hasBegun) return;
    const staying = [...this.members].filter(({ state }) => state !== 'leaving');
    try {
      for (let count = staying.length; count < this.config.workers; count += 1) this.add();
    } catch (error) {
      this.log.error({ err: error }, 'A worker could not be started'); // the system had no room for a process
      this.fillLater();
    }
  }

  private serving = () => [...this.members].filter(({ state }) => state === 'serving');

  /** The newest worker stays longest when all are replaced. */
  private appointLeader(): void {
    const serving = this.serving();
    if (this.leader && serving.includes(this.leader)) return;
    this.leader = serving.at(-1);
    const message: FromPrimary = 'be the leader';
    this.leader?.worker.send(message, undefined, undefined, () => {}); // a worker that dies meanwhile is noticed by its end
  }

  private inTurn(work: () => Promise<unknown>): void {
    this.replacing = this.replacing
      .then(async () => {
        if (this.isUp && !this.ending.hasBegun) await work();
      })
      .catch((error: unknown) => this.log.error({ err: error }, 'A worker could not be replaced'));
  }

  private async replaceAll(): Promise<void> {
    this.log.info('Replacing the workers, one after the other');
    for (const old of this.serving()) if (!(await this.replace(old))) return;
    this.log.info('All workers have been replaced');
  }

  /** Returns false if that is impossible. */
  private async replace(old: Member): Promise<boolean> {
    if (!this.members.has(old)) return true;
    const description = await this.add().listening;
    if (this.ending.hasBegun) return false;
    if (description === undefined) {
      this.log.error(
        { worker: old.worker.id },
        'A worker is not replaced, because the new one did not start',
      );
      return false;
    }
    const kill = setTimeout(() => old.worker.process.kill('SIGKILL'), HANGS_AFTER_MS);
    await this.letGo(old);
    clearTimeout(kill);
    this.fill();
    return true;
  }

  /** It drains: from then on others are given the connections that it would have been given. */
  private letGo(member: Member): Promise<void> {
    if (member.state === 'serving') member.state = 'leaving';
    if (!this.ending.hasBegun) this.appointLeader();
    const message: FromPrimary = 'drain';
    member.worker.send(message, undefined, undefined, () => {}); // one that has just died is gone
    return member.gone;
  }

  private async drain(): Promise<void> {
    this.log.info('Stopping');
    await Promise.all([...this.members].map((member) => this.letGo(member)));
    await this.embedded?.stop();
    this.log.info('Stopped');
    if (this.hasFailed) process.exit(1);
  }
}

/** Resolves with how a worker ended. One that could not be started has no process, and only an error. */
const endOf = (worker: Worker) =>
  new Promise<string>((resolve) => {
    worker.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    worker.on('error', ({ message }) => {
      if (worker.process.pid === undefined) resolve(message);
    });
  });
