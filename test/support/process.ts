import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inject, onTestFinished } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { readConfig } from '../../src/features/settings.js';
import { openDatabase } from '../../src/operation/startup/instance.js';
import { KEPT, withLimits } from './commands.js';
import { RestClient } from './world.js';

type Environment = Record<string, string | undefined>;

const clean = (environment: Environment) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: '0',
  ...withLimits(),
  ...KEPT,
  ...chosen(environment),
  ...environment,
});

/** With TEST_WORKERS, tests of one process run on several, where the database allows it. */
function chosen({ DATABASE_URL }: Environment): Environment {
  const { TEST_WORKERS } = process.env;
  return TEST_WORKERS && DATABASE_URL ? { WORKERS: TEST_WORKERS } : {};
}

/** In milliseconds: processes that it has left behind may write to the same pipes, which do not end then. */
const LAST_OUTPUT = 2_000;

/** The built service, or a command of it, as an operator runs it. */
export class ServiceProcess {
  output = '';
  /** With all of its output. */
  readonly exited: Promise<number | null>;

  constructor(readonly child: ChildProcess) {
    const collect = (chunk: Buffer) => {
      this.output += chunk;
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const closed = once(child, 'close'); // it may come in the same moment as the exit
    this.exited = once(child, 'exit').then(async ([code]) => {
      await Promise.race([closed, delay(LAST_OUTPUT)]);
      return code;
    });
  }

  /** Resolves once it says where it listens; rejects when it ends instead. */
  listening(): Promise<RestClient> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const base = /API (http:\S+)\/api/.exec(this.output)?.[1];
        if (base) resolve(new RestClient(base));
      };
      this.child.stdout?.on('data', look);
      look();
      this.exited.then((code) => reject(new Error(`Ended with ${code}: ${this.output}`)));
    });
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}

/** Ends a process that leads a group of its own, and all that it has begun. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // it could not be started
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
}

/** For as long as the caller likes; `run` ends with its test. */
export const launch = (script: string, environment: Environment = {}, args: string[] = []) =>
  new ServiceProcess(spawn(process.execPath, [script, ...args], { env: clean(environment) }));

export function run(script: string, environment: Environment = {}, args: string[] = []): ServiceProcess {
  const service = launch(path.join('dist/src', script), environment, args);
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
}

/** Made-up users, by the script of developers. */
export function seed(environment: Environment, args: string[]): ServiceProcess {
  const seeding = launch('scripts/seed/seed.ts', environment, args);
  onTestFinished(() => void seeding.child.kill('SIGKILL'));
  return seeding;
}

export const startService = (environment: Environment = {}) => run('main.js', environment);

/** A data directory that is not there yet, gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'data');
}

/** A data directory in `folder`, with the owners and modes without which PostgreSQL does not take it. */
export function copied(from: string, folder: string): string {
  const DATA_DIR = path.join(folder, 'data');
  spawnSync('cp', ['-a', from, DATA_DIR]);
  return DATA_DIR;
}

/** The settings of a service that shows the page. */
export const ofPage = (DATA_DIR: string) => ({
  ...{ DATA_DIR, HOST: '127.0.0.1', REQUEST_TIMEOUT: '600000' },
  WEBHOOK_HOSTS: '127.0.0.0/8', // receivers of tests
});

/** A data directory with an empty database in it, for as long as the caller likes. */
export function copiedData(): { DATA_DIR: string; remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-test-'));
  const DATA_DIR = copied(inject('dataDirectory'), folder);
  return { DATA_DIR, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The same, gone after the test. */
export function dataDirectory(): string {
  const { DATA_DIR, remove } = copiedData();
  onTestFinished(remove);
  return DATA_DIR;
}

/** Opens the embedded database in this process, as a command does. */
export const openEmbedded = (DATA_DIR: string): Promise<Database> =>
  openDatabase(readConfig({ DATA_DIR }), { isForCommand: true });
