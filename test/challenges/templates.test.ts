import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { world } from '../support/apis.js';
import { ownDatabase } from '../support/database.js';

const DURATIONS = { 1: 7, 2: 21, 3: 30, 4: 3, 5: 14, 6: 1, 7: 60 };

it('Seven challenge templates are built in, and a later one comes first', async () => {
  const { newUser, database } = await world('GraphQL', { database: await ownDatabase() });
  const ana = await newUser();
  const templates = await ana.templates();
  const durations = templates.map(({ id, durationDays }) => [id, durationDays]);
  expect(durations).toEqual(Object.entries(DURATIONS).reverse());
  const times = templates.map(({ createdAt }) => createdAt);
  expect(times).toEqual([...new Set(times)].sort().reverse());
  await sql`
    insert into challenge_templates (title, description, duration_days, created_at, updated_at)
    values ('New', 'Newer than all', 5, '2026-11-01', '2026-11-01')`.execute(database.query());
  expect((await ana.templates()).map(({ id }) => Number(id))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});
