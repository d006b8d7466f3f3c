import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { model } from '../../mikro-orm.config.js';
import {
  DistributionError,
  distributionOf,
  isDistributed,
  whyUnfit,
} from '../../src/database/distributed/distribute.js';
import { sharedDatabase } from '../support/database.js';

const { byUser, reference, local } = model.layout;

describe('The tables', () => {
  it('have each their place in a distributed database', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace
    `.execute((await sharedDatabase()).query());
    const placed = [...byUser, ...reference, ...local];
    expect(rows.map(({ name }) => name).sort()).toEqual([...placed].sort());
  });

  it('are by user where they have a user in their key, unless they are looked for by something else', async () => {
    const { rows } = await sql<{ name: string }>`
      select conrelid::regclass::text as name from pg_constraint
      where contype = 'p' and connamespace = current_schema()::regnamespace and conkey @> array(
        select attnum from pg_attribute where attrelid = conrelid and attname = 'user_id')
    `.execute((await sharedDatabase()).query());
    const keyed = rows.map(({ name }) => name).filter((name) => byUser.includes(name));
    expect(keyed.sort()).toEqual([...byUser].sort());
  });
});

describe('A database without Citus', () => {
  it('is not distributed, and cannot be', async () => {
    const query = (await sharedDatabase()).query();
    expect(await isDistributed(query, model.layout)).toBe(false);
    await expect(distributionOf(query, model.layout)).rejects.toThrow(DistributionError);
    await expect(distributionOf(query, model.layout)).rejects.toThrow(
      /^The database has no extension citus\. .*create extension citus/,
    );
  });
});

describe('A node', () => {
  const node = (isReached: boolean, told: string) => ({ node: '10.0.0.2:5432', isReached, told });

  it('is fit with the recommended setting, and with what Citus takes where none is set', () => {
    expect(whyUnfit([node(true, '200'), node(true, '600')])).toBeUndefined();
  });

  it('that cannot prepare enough transactions is named, with what to set', () => {
    expect(whyUnfit([node(true, '200'), node(true, '5')])).toMatch(
      /^The node 10\.0\.0\.2:5432 can take part in 5 .* Set max_prepared_transactions to 200 there, and restart it\.$/,
    );
  });

  it('that cannot be reached is named, with the reason', () => {
    expect(whyUnfit([node(false, 'connection refused\n')])).toBe(
      'The node 10.0.0.2:5432 cannot be reached: connection refused',
    );
  });
});
