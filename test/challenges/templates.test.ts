import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { apis, world as worldBy } from '../support/apis.js';
import { ownDatabase } from '../support/database.js';
import { worldOf } from '../support/world.js';

const DURATIONS = { 1: 7, 2: 21, 3: 30, 4: 3, 5: 14, 6: 1, 7: 60 };
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(apis)('Challenge templates, over %s', (api) => {
  it('are seven built-in ones, most recent first', async () => {
    const { newUser } = await worldBy(api);
    const templates = await (await newUser()).templates();
    expect(templates.map(({ id, durationDays }) => [id, durationDays])).toEqual(
      Object.entries(DURATIONS).reverse(),
    );
    for (const { title, description } of templates) {
      expect([title, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
    }
    const times = templates.map(({ createdAt }) => createdAt);
    expect(times).toEqual([...new Set(times)].sort().reverse());
  });

  it('show a later template first, under the next id', async () => {
    const database = await ownDatabase();
    const { newUser } = await worldBy(api, { database });
    await sql`
      insert into challenge_templates (title, description, duration_days, created_at, updated_at)
      values ('New', 'Newer than all', 5, '2026-11-01', '2026-11-01')`.execute(database.query());
    const ids = (await (await newUser()).templates()).map(({ id }) => Number(id));
    expect(ids).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('GET /api/challenge-templates/:id', () => {
  it('answers 200 with the template', async () => {
    const [id, duration_days] = ['3', DURATIONS[3]];
    const { ana } = await worldOf('ana');
    const { status, body } = await ana.rest.get(`/api/challenge-templates/${id}`);
    expect(status).toBe(200);
    expect(Object.entries(body)).toEqual(
      Object.entries({
        id: Number(id),
        title: expect.stringMatching(/\S/),
        description: expect.stringMatching(/\S/),
        duration_days,
        created_at: expect.stringMatching(INSTANT),
        updated_at: expect.stringMatching(INSTANT),
      }),
    );
    expect((await ana.rest.get('/api/challenge-templates')).body).toContainEqual(body);
  });
});
