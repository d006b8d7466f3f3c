import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FIXTURE } from '../support/backups.js';
import { contentsOf } from '../support/contents.js';
import { dataDirectory, openEmbedded, run, temporaryFolder } from '../support/process.js';
import { withServer } from '../support/with-server.js';

/** The service, and every command that opens a database. */
const programs: [string, string[]][] = [
  ['main.js', []],
  ['operation/commands/migrate.js', []],
  ['operation/commands/streaks-reset.js', []],
  ['operation/commands/streaks-verify.js', []],
  ['operation/commands/backup.js', ['--to=-']],
  ['operation/commands/restore.js', [FIXTURE]],
];

const NEWER =
  'The database was migrated by a newer Steady: this one does not know 9999_later. Run that release again, or restore a backup of this one into an empty database.\n';

async function refusals(environment: Record<string, string>): Promise<Record<string, string>> {
  const outputs: Record<string, string> = {};
  for (const [program, args] of programs) {
    const started = run(program, environment, args);
    expect(await started.exited, program).toBe(1);
    outputs[program] = started.output;
  }
  return outputs;
}

const allSay = (line: string) => Object.fromEntries(programs.map(([program]) => [program, line]));

const MIGRATED = `insert into mikro_orm_migrations (name, executed_at) values ('9999_later', now())`;

const server = withServer();

describe('The service and every command', () => {
  it('refuse files of another PostgreSQL, say what to do, and change nothing', async () => {
    const DATA_DIR = dataDirectory();
    const folder = path.join(DATA_DIR, 'postgresql');
    expect(readFileSync(path.join(folder, 'PG_VERSION'), 'utf8'), 'the version of the packages').toBe('18\n');
    writeFileSync(path.join(folder, 'PG_VERSION'), '17\n');
    const before = contentsOf(DATA_DIR);
    const line = `The database in ${folder} was made by PostgreSQL 17, and this Steady has PostgreSQL 18, which cannot open it. Make a backup with the Steady that made it (steady backup), and restore that with this one into an empty DATA_DIR (steady restore).\n`;
    expect(await refusals({ DATA_DIR })).toEqual(allSay(line));
    expect(contentsOf(DATA_DIR)).toEqual(before);
  });

  it('refuse an embedded database of a newer release, and say what to do', async () => {
    const DATA_DIR = dataDirectory();
    const database = await openEmbedded(DATA_DIR);
    await database.orm.em.fork().execute(MIGRATED);
    await database.close();
    expect(await refusals({ DATA_DIR })).toEqual(allSay(NEWER));
  });

  it('refuse a database of a newer release on a server, say what to do, and migrate nothing', async () => {
    const DATABASE_URL = await server.newDatabase();
    const client = new pg.Client(DATABASE_URL);
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('create schema aside; alter table mikro_orm_migrations set schema aside');
    await client.query('drop schema public cascade; alter schema aside rename to public'); // no tables but this one
    await client.query('delete from mikro_orm_migrations');
    await client.query(MIGRATED);
    expect(await refusals({ DATABASE_URL, DATA_DIR: temporaryFolder() })).toEqual(allSay(NEWER));
    const { rows } = await client.query(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    expect(rows).toEqual([{ name: 'mikro_orm_migrations' }]);
  });
});
