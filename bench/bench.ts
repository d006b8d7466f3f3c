import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../test/support/server.ts';
import { type Generator, type Requests, startGenerator } from './generator.ts';
import { type Server, startScript, startService } from './service.ts';

/** What is asked for is wrong. */
export class UsageError extends Error {}

export type Options = Record<string, number | string>;

export interface Question {
  /** Every option, with what it is unless it is given. */
  options: Options;
  ask: (bench: Bench, options: Options) => Promise<void>;
}

export const question = <Declared extends Options>(
  options: Declared,
  ask: (bench: Bench, options: Declared) => Promise<void>,
) => ({ options, ask });

/** As the service should have it: the server waits for its disk. Neither vacuum nor checkpoints fall into a round. */
export const POSTGRES = {
  ...{ fsync: 'on', full_page_writes: 'on' },
  shared_buffers: '512MB',
  autovacuum: 'off',
  ...{ min_wal_size: '80MB', max_wal_size: '8GB' },
  checkpoint_timeout: '1h',
};

/** PostgreSQL with its own defaults. */
export const AS_IT_COMES = {
  ...{ shared_buffers: '128MB', autovacuum: 'on', checkpoint_timeout: '5min' },
  ...{ min_wal_size: '80MB', max_wal_size: '1GB' },
};

/** What a question starts; all of it ends with the question, in the opposite order. */
export class Bench {
  private readonly stops: Promise<() => unknown>[] = [];
  private hasEnded = false;

  private async keep<Started extends { stop: () => unknown }>(start: () => Promise<Started>) {
    if (this.hasEnded) throw new Error('The benchmark has ended');
    const starting = start();
    const nothing = () => {};
    this.stops.push(starting.then(({ stop }) => stop).catch(() => nothing));
    return starting;
  }

  /** A server with an empty database `steady`. */
  async postgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
    const server = await this.keep(() => startPostgres({ ...POSTGRES, ...settings }));
    await server.execute('create database steady');
    return server;
  }

  async client(url: string): Promise<pg.Client> {
    const client = new pg.Client(url);
    await client.connect();
    this.defer(() => client.end());
    return client;
  }

  /** A folder of its own, for an embedded database or files. */
  directory(): string {
    const directory = mkdtempSync(path.join(os.tmpdir(), 'steady-bench-'));
    this.defer(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  service(environment: Record<string, string>): Promise<Server> {
    return this.keep(() => startService(environment));
  }

  script(file: string, environment: Record<string, string>): Promise<Server> {
    return this.keep(() => startScript(file, environment));
  }

  generator(requests: Requests): Promise<Generator> {
    return this.keep(() => startGenerator(requests));
  }

  defer(stop: () => unknown): void {
    this.stops.push(Promise.resolve(stop));
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    for (const stop of this.stops.reverse()) {
      await Promise.resolve((await stop)()).catch((error: unknown) => console.error(error));
    }
  }
}
