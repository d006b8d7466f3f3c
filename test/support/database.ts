import pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import type { FastPath } from '../../src/base/config/fixed.js';
import type { Config } from '../../src/base/config.js';
import type { Database } from '../../src/database/database.js';
import { openServer } from '../../src/database/server/open.js';
import { readConfig } from '../../src/features/settings.js';
import { newDistributed } from './distributed.js';
import { startProxy, type TcpProxy } from './proxy.js';

export interface Template {
  url: string;
  pooler?: string | undefined;
  isDistributed?: boolean;
}

export const isOnManyNodes = (template: Template) => template.isDistributed === true;

declare module 'vitest' {
  interface ProvidedContext {
    template: Template;
  }
}

/** The settings of the service, with time enough for every request: others may keep the machine busy. */
export const configOf = (environment: Record<string, string> = {}): Config => ({
  ...readConfig({ REQUEST_TIMEOUT: '600000', ...environment }),
  fastPath: (process.env.TEST_FAST_PATH as FastPath | undefined) ?? 'on', // chosen by the project of the tests
});

let copies = 0;

/** A copy of the migrated, otherwise empty database that nobody else uses. */
export const freshDatabase = async (poolSize = 10, config = configOf()): Promise<Database> =>
  opened(await freshUrl(inject('template').url), poolSize, config);

function opened(directUrl: string, poolSize = 10, config = configOf()): Promise<Database> {
  const template = inject('template');
  const { patience } = config.timeouts;
  const url = template.pooler ? at(template.pooler, directUrl) : directUrl;
  return openServer(model, { url, directUrl, poolSize, patience });
}

/** The same, until the test is over. */
export async function ownDatabase(...given: Parameters<typeof freshDatabase>): Promise<Database> {
  const database = await freshDatabase(...given);
  onTestFinished(() => database.close());
  return database;
}

/** The same database by another way. */
const at = (way: string, address: string) =>
  Object.assign(new URL(way), { pathname: new URL(address).pathname }).href;

/** Of the file whose tests run: once it is over, nobody comes back to them. */
const made = { by: '', names: [] as string[] };

/** For tests that start processes on it. */
export async function freshUrl(templateUrl: string): Promise<string> {
  const url = await copyOf(templateUrl);
  made.names.push(new URL(url).pathname.slice(1));
  return url;
}

/** Takes a quarter of the time of the other strategy, which is the only one that PostgreSQL 14 knows. */
const COPYING = process.env.TEST_POSTGRES_BIN ? '' : 'strategy file_copy';

async function copyOf(templateUrl: string): Promise<string> {
  copies += 1;
  if (isOnManyNodes(inject('template'))) return newDistributed(templateUrl, `${process.pid}_${copies}`);
  const name = `steady_${process.pid}_${copies}`;
  const url = new URL(templateUrl);
  // Nobody may be in a database that is copied, and workers copy it at the same time.
  const client = new pg.Client(new URL('/postgres', url).href);
  await client.connect();
  const { testPath = '' } = expect.getState();
  const old = made.by === testPath ? [] : made.names.splice(0);
  made.by = testPath;
  try {
    for (const each of old) await client.query(`drop database if exists ${each} with (force)`);
    await client.query(`create database ${name} template ${url.pathname.slice(1)} ${COPYING}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}

/** The same, on a server, and what stands between: it sees every statement. */
export async function proxiedDatabase(): Promise<{ database: Database; proxy: TcpProxy }> {
  const template = inject('template');
  const url = await freshUrl(template.url);
  const proxy = await startProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.stop());
  const { patience } = configOf().timeouts;
  const database = await openServer(model, {
    url: proxy.through(url),
    directUrl: url,
    poolSize: 10,
    patience,
  });
  onTestFinished(() => database.close());
  return { database, proxy };
}

let shared: Promise<Database> | undefined;

/** The worker's own database. Tests use users of their own on it, so that they do not meet. */
export function sharedDatabase(): Promise<Database> {
  shared ??= copyOf(inject('template').url).then((url) => opened(url));
  return shared;
}

/** One more way to a database that is there, as another process has one, until the test is over. */
export async function databaseAt(url: string): Promise<Database> {
  const database = await opened(url);
  onTestFinished(() => database.close());
  return database;
}
