import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import type { Database } from '../../src/database/database.js';
import { copyFiles } from '../../src/database/embedded/copy.js';
import { openCopy, openEmbedded } from '../../src/database/embedded/open.js';
import { DataDirectory } from '../../src/files/data-directory.js';
import { eventually } from '../support/eventually.js';
import { dataDirectory } from '../support/process.js';

const ACCOUNTS = 200;
const PIECES = 7;

/** A round takes half a minute or more, since the writers leave the copy little time. */
const ROUNDS = Number(process.env.COPY_ROUNDS ?? 1);

async function prepared() {
  const directory = dataDirectory();
  const database = await openEmbedded(model, new DataDirectory(directory));
  const query = database.query();
  await sql`create table notes (id int primary key)`.execute(query);
  await sql`create table accounts (id int primary key, amount int not null)`.execute(query);
  await sql`insert into accounts select id, 100 from generate_series(1, ${ACCOUNTS}) id`.execute(query);
  await sql`create table pages (id int primary key, text text, version int)`.execute(query);
  await sql`insert into pages select id, repeat('x', 700), 0 from generate_series(1, 30000) id`.execute(
    query,
  );
  await sql`create index on pages (version, id)`.execute(query);
  return { database, target: path.join(directory, 'copied') };
}

/** Writes of every kind until told to stop. Keeps the notes that were acknowledged before it was too late. */
function writingOn(database: Database, isTooLate: () => boolean) {
  const query = database.query();
  const noted: number[] = [];
  let isOver = false;
  let id = 0;
  const whileOpen = async (work: () => Promise<unknown>) => {
    while (!isOver) await work();
  };
  const note = async () => {
    id += 1;
    const own = id;
    await sql`insert into notes values (${own})`.execute(query);
    if (!isTooLate()) noted.push(own);
  };
  const transfer = () => {
    const [from, to] = [1, 2].map(() => 1 + Math.floor(Math.random() * ACCOUNTS));
    return sql`update accounts set amount = amount + case id when ${from} then -1 else 1 end
      where id in (${from}, ${to}) and ${from}::int <> ${to}::int`.execute(query);
  };
  /** Much more than the log that a checkpoint follows, since each page is written to the log whole the first time. */
  const rewrite = () =>
    sql`update pages set version = version + 1 where id % ${PIECES} = ${Math.floor(Math.random() * PIECES)}`.execute(
      query,
    );
  const come = async () => {
    await sql`create table passing as select id from notes`.execute(query);
    await sql`drop table passing`.execute(query);
  };
  const all = Promise.all([note, note, transfer, rewrite, come].map(whileOpen));
  const stop = () => {
    isOver = true;
    return all;
  };
  return { noted, stop };
}

const filesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];

/** Whether files of tables are still being copied. */
const isTablesUnderWay = (target: string) =>
  filesIn(path.join(target, 'base')).length < filesIn(path.join(target, '..', 'postgres', 'base')).length / 2;

async function examine(copy: Database) {
  const query = copy.query();
  const one = async (statement: string) =>
    (await sql.raw<{ found: unknown }>(statement).execute(query)).rows[0]?.found;
  const notes = await sql<{ id: number }>`select id from notes`.execute(query);
  const found = {
    money: Number(await one('select sum(amount) as found from accounts')),
    pages: Number(await one('select count(*) as found from pages where length(text) = 700')),
    passing: await one(`select to_regclass('passing')::text as found`),
  };
  await sql`set enable_seqscan = off`.execute(query);
  const indexed = Number(
    await one('select count(*) as found from (select from pages order by version, id) p'),
  );
  return { ids: new Set(notes.rows.map(({ id }) => id)), found, indexed };
}

describe('A copy of the embedded database', () => {
  it('made while it is written has all that was acknowledged while its tables were copied, each change whole', async () => {
    const { database, target } = await prepared();
    onTestFinished(() => database.close());
    for (let round = 0; round < ROUNDS; round += 1) {
      const writing = writingOn(database, () => !isTablesUnderWay(target));
      await database.copyTo(target);
      await writing.stop();
      const copy = await openCopy(model, target);
      const { ids, found, indexed } = await examine(copy).finally(() => copy.close());
      expect(writing.noted.length).toBeGreaterThan(0);
      expect(writing.noted.filter((id) => !ids.has(id))).toEqual([]);
      expect(found).toMatchObject({ money: 100 * ACCOUNTS, pages: 30_000 });
      expect(indexed).toBe(30_000);
      rmSync(target, { recursive: true });
      await sql`delete from notes`.execute(database.query());
    }
  });

  it('is made one after the other, since each needs the log from its own checkpoint on', async () => {
    const { database, target } = await prepared();
    onTestFinished(() => database.close());
    const targets = [1, 2].map((number) => `${target}-${number}`) as [string, string];
    const writing = writingOn(database, () => true);
    const first = database.copyTo(targets[0]);
    await eventually(() => existsSync(path.join(targets[0], 'global', 'pg_control')));
    await Promise.all([first, database.copyTo(targets[1])]);
    await writing.stop();
    for (const each of targets) {
      const copy = await openCopy(model, each);
      expect((await examine(copy).finally(() => copy.close())).found).toMatchObject({ pages: 30_000 });
    }
  });

  it('ends at a signal, and the next one is whole', async () => {
    const { database, target } = await prepared();
    onTestFinished(() => database.close());
    const stopped = new AbortController();
    const copying = database.copyTo(target, { signal: stopped.signal });
    const failed = expect(copying).rejects.toThrow(/abort/i);
    await eventually(() => existsSync(path.join(target, 'global', 'pg_control')));
    stopped.abort();
    await failed;
    rmSync(target, { recursive: true });
    await database.copyTo(target);
    const copy = await openCopy(model, target);
    expect((await examine(copy).finally(() => copy.close())).found).toMatchObject({ pages: 30_000 });
  });

  it('needs room for a file that is made of it, too, if that is on the same disk', async () => {
    const { database, target } = await prepared();
    onTestFinished(() => database.close());
    const beside = { folder: path.dirname(target), bytes: 2 ** 50 };
    await expect(database.copyTo(target, { beside })).rejects.toThrow('There is no room for a copy');
    await database.copyTo(target, { beside: { ...beside, folder: '/proc' } });
  });

  it.each([
    ['control file', path.join('global', 'pg_control'), /ENOENT/],
    ['log', 'pg_wal', /Files of the log are missing/],
  ])('is refused without its %s', async (_of, name, reason) => {
    const { database, target } = await prepared();
    onTestFinished(() => database.close());
    const folder = path.join(target, '..', 'damaged');
    cpSync(path.join(target, '..', 'postgres'), folder, { recursive: true });
    rmSync(path.join(folder, name), { recursive: true });
    if (name === 'pg_wal') mkdirSync(path.join(folder, name));
    await expect(copyFiles(database.query(), folder, target)).rejects.toThrow(reason);
  });
});
