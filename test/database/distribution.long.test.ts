import { Migration } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { distributionOf, whyUnfit } from '../../src/database/distributed/distribute.js';
import { layoutOf } from '../../src/database/distributed/layout.js';
import { nodesOf } from '../../src/database/distributed/nodes.js';
import { openServer, unhurried } from '../../src/database/server/open.js';
import { modelWith } from '../support/backups.js';
import { execute } from '../support/citus.js';
import { freshDatabase, freshUrl, isOnManyNodes, sharedDatabase } from '../support/database.js';

class SeveralTables extends Migration {
  override up(): void {
    this.addSql('alter table user_progress add column tried int null');
    this.addSql('alter table users add column tried int null');
  }
}

it('The tables have each their place in a distributed database', async () => {
  const database = await sharedDatabase();
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
  `.execute(database.query());
  const { spread, whole, local } = layoutOf(database.orm);
  const placed = [...spread.keys(), ...whole, ...local, 'mikro_orm_migrations'];
  expect(rows.map(({ name }) => name).sort()).toEqual(placed.sort());
});

describe.skipIf(!isOnManyNodes(inject('template')))('A distributed database', () => {
  it('is migrated, though a migration changes tables by user before one that is whole on every node', async () => {
    const { url } = inject('template');
    const settings = { url: await freshUrl(url), poolSize: 1, patience: unhurried };
    // As it is where nobody sets it: several connections to each node.
    const name = new URL(settings.url).pathname.slice(1);
    await execute(settings.url, `alter database ${name} set citus.max_adaptive_executor_pool_size = 16`);
    const next = modelWith((list) => [...list, { name: '9999_several_tables', class: SeveralTables }]);
    const database = await openServer(next, settings);
    onTestFinished(() => database.close());
    const tried = sql`select tried from user_progress union all select tried from users`;
    expect((await tried.execute(database.query())).rows).toEqual([]);
  });

  it('has nothing more to be distributed', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.close());
    const query = database.query();
    expect(await nodesOf(query)).toBeDefined();
    expect(await distributionOf(query, layoutOf(database.orm))).toEqual({ statements: [], afterwards: [] });
  });
});

it('A node that cannot prepare enough transactions, or cannot be reached, is named with what to do', () => {
  const node = (isReached: boolean, told: string) => ({ node: '10.0.0.2:5432', isReached, told });
  expect(whyUnfit([node(true, '200'), node(true, '600')])).toBeUndefined();
  expect(whyUnfit([node(true, '200'), node(true, '5')])).toMatch(
    /^The node 10\.0\.0\.2:5432 can take part in 5 .* Set max_prepared_transactions to 200 there, and restart it\.$/,
  );
  expect(whyUnfit([node(false, 'connection refused\n')])).toBe(
    'The node 10.0.0.2:5432 cannot be reached: connection refused',
  );
});
