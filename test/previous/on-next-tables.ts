import { spawnSync } from 'node:child_process';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

const newer = path.join(import.meta.dirname, '../..');

/**
 * The last release makes the database, and this one migrates it. A process of the last release that runs meanwhile
 * does not look again which migrations there are, so these names are taken away.
 */
export default async function setup(project: TestProject) {
  const provided = new Map<string, { url: string }>();
  const { default: before } = await import(path.join(process.cwd(), 'test/support/postgresql.ts'));
  const after = await before({
    provide: (name: string, value: { url: string }) => provided.set(name, value),
  });
  const template = provided.get('template');
  if (!template) throw new Error('The last release provides no database');
  const client = new pg.Client(template.url);
  await client.connect();
  const { rows: known } = await client.query('select name from mikro_orm_migrations');
  migrate(template.url);
  const names = known.map(({ name }) => name);
  await client.query('delete from mikro_orm_migrations where name <> all ($1)', [names]);
  await client.end();
  project.provide('template', { url: template.url });
  return after;
}

function migrate(url: string): void {
  const { status, stderr } = spawnSync(process.execPath, ['dist/src/commands/migrate.js'], {
    cwd: newer,
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The migration failed: ${stderr}`);
}
