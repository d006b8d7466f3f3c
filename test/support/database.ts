import { sql } from 'kysely';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
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

/** A copy of the migrated, otherwise empty database, with settings of its own; whoever asks for it closes it. */
export const freshDatabase = async (poolSize = 10, config = configOf()): Promise<Database> =>
  opened(await freshUrl(inject('template').url), poolSize, config);

/** The address of each that is open, on the server itself. */
const urls = new WeakMap<Database, string>();

async function opened(directUrl: string, poolSize = 10, config = configOf()): Promise<Database> {
  const template = inject('template');
  const { patience } = config.timeouts;
  const url = template.pooler ? at(template.pooler, directUrl) : directUrl;
  const database = await openServer(model, { url, directUrl, poolSize, patience });
  urls.set(database, directUrl);
  return database;
}

/** Left empty by the tests that had them: to make and open one costs ten times what emptying it does. */
const empty: Database[] = [];

const MOST_EMPTY = 6;

/** A database that nobody else uses until it is given back, empty like a new one. */
export async function lentDatabase() {
  const database = empty.pop() ?? (await opened(await freshUrl(inject('template').url)));
  formOfNew ??= await formOf(database);
  const giveBack = async () => {
    const isAsNew = empty.length < MOST_EMPTY && (await isEmptied(database));
    if (isAsNew) empty.push(database);
    else await database.close();
  };
  return { database, giveBack };
}

/** The same until the test is over. */
export async function ownDatabase(): Promise<Database> {
  const { database, giveBack } = await lentDatabase();
  onTestFinished(giveBack);
  return database;
}

/** For another way to a database: that of the server itself, past any pooler. */
export const urlOf = (database: Database) => urls.get(database) ?? '';

let formOfNew: string | undefined;

/** Whether all that is left of it is what a new one has: some tests change its tables, fill them, or stop it. */
async function isEmptied(database: Database): Promise<boolean> {
  if (isOnManyNodes(inject('template'))) return false;
  try {
    await EMPTYING.execute(database.query());
    return (await formOf(database)) === formOfNew;
  } catch {
    return false;
  }
}

/** Row by row, which is cheaper for the few that tests write; by the server's own ids where one begins with 1. */
const EMPTYING = sql`
  do $$
  declare name text;
  begin
    if exists (select from pg_class where relkind = 'r' and relname = 'task_completions' and pg_relation_size(oid) > 1e6)
    then raise 'the planner would remember'; end if;
    perform set_config('session_replication_role', 'replica', true), set_config('lock_timeout', '1s', true);
    for name in
      select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('mikro_orm_migrations', 'challenge_templates', 'kept_values')
    loop
      execute format('delete from %I', name);
    end loop;
    delete from kept_values where kept_values.name <> 'database-id';
    perform setval(oid, 1, false) from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'S' and relname !~ '^(mikro_orm|challenge_templates)';
  end $$`;

/** Its tables and functions, and what migrations have written. */
async function formOf(database: Database): Promise<string> {
  const { rows } = await sql<{ form: string }>`
    select concat(
      (select string_agg(concat(relname, attname, atttypid), ',' order by relname, attname)
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and not attisdropped),
      (select string_agg(tgname, ',' order by tgname) from pg_trigger where not tgisinternal),
      (select string_agg(conname, ',' order by conname) from pg_constraint),
      (select string_agg(prosrc, ',' order by proname) from pg_proc where pronamespace = 'public'::regnamespace),
      (select string_agg(each::text, ',' order by id) from challenge_templates each),
      (select string_agg(name, ',' order by name) from mikro_orm_migrations),
      (select string_agg(name, ',') from kept_values)
    ) as form`.execute(database.query());
  return rows[0]?.form ?? '';
}

/** The same database by another way. */
const at = (way: string, address: string) =>
  Object.assign(new URL(way), { pathname: new URL(address).pathname }).href;

/** Takes a quarter of the time of the other strategy, which is the only one that PostgreSQL 14 knows. */
const COPYING = process.env.TEST_POSTGRES_BIN ? '' : 'strategy file_copy';

/** A copy, of which nothing is dropped before its server ends. */
export async function freshUrl(templateUrl: string): Promise<string> {
  copies += 1;
  if (isOnManyNodes(inject('template'))) return newDistributed(templateUrl, `${process.pid}_${copies}`);
  const name = `steady_${process.pid}_${copies}`;
  const url = new URL(templateUrl);
  // Nobody may be in a database that is copied, and workers copy it at the same time.
  const client = new pg.Client(new URL('/postgres', url).href);
  await client.connect();
  try {
    await client.query(`create database ${name} template ${url.pathname.slice(1)} ${COPYING}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}

/** Such a database, and a proxy on the way to it, which sees every statement. */
export async function proxiedDatabase(): Promise<{ database: Database; proxy: TcpProxy }> {
  const directUrl = urlOf(await ownDatabase());
  const proxy = await startProxy(Number(new URL(directUrl).port));
  onTestFinished(() => proxy.stop());
  const { patience } = configOf().timeouts;
  const url = proxy.through(directUrl);
  const database = await openServer(model, { url, directUrl, poolSize: 10, patience });
  onTestFinished(() => database.close());
  return { database, proxy };
}

let shared: Promise<Database> | undefined;

/** The worker's own database. Tests use users of their own on it, so that they do not meet. */
export function sharedDatabase(): Promise<Database> {
  shared ??= freshUrl(inject('template').url).then((url) => opened(url));
  return shared;
}

/** One more way to a database that is there, as another process has one, until the test is over. */
export async function databaseAt(url: string): Promise<Database> {
  const database = await opened(url);
  onTestFinished(() => database.close());
  return database;
}
