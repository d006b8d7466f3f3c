import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { apis, world as worldBy } from '../support/apis.js';
import { ownDatabase } from '../support/database.js';
import { worldOf } from '../support/world.js';

const DURATIONS = { 1: 7, 2: 21, 3: 30, 4: 3, 5: 14, 6: 1, 7: 60 };

it.each(apis)('Seven challenge templates are built in, a later one comes first, over %s', async (api) => {
  const database = await ownDatabase();
  const ana = await (await worldBy(api, { database })).newUser();
  const templates = await ana.templates();
  expect(templates.map(({ id, durationDays }) => [id, durationDays])).toEqual(
    Object.entries(DURATIONS).reverse(),
  );
  const times = templates.map(({ createdAt }) => createdAt);
  expect(times).toEqual([...new Set(times)].sort().reverse());
  await sql`
    insert into challenge_templates (title, description, duration_days, created_at, updated_at)
    values ('New', 'Newer than all', 5, '2026-11-01', '2026-11-01')`.execute(database.query());
  expect((await ana.templates()).map(({ id }) => Number(id))).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
});

it('GET /api/challenge-templates/:id answers 200 with the template, its fields in the order of the spec', async () => {
  const { ana } = await worldOf('ana');
  const { status, body } = await ana.rest.get('/api/challenge-templates/3');
  expect([status, body]).toMatchObject([200, { id: 3, duration_days: 30 }]);
  expect(Object.keys(body)).toEqual([
    ...['id', 'title', 'description', 'duration_days', 'created_at', 'updated_at'],
  ]);
  expect((await ana.rest.get('/api/challenge-templates')).body).toContainEqual(body);
});
