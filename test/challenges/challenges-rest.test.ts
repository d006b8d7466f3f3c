import { describe, expect, it } from 'vitest';
import { refusal, type TestUser, world } from '../support/world.js';

const noTemplate = refusal(404, 'Challenge template not found');
const list = async (user: TestUser) => (await user.rest.get('/api/user-challenges')).body;
const active = async (user: TestUser) => (await user.rest.get('/api/user-challenges/active')).body;

const end = (user: TestUser, { id }: { id: number }, way: string) =>
  user.rest.put(`/api/user-challenges/${id}/${way}`);

/** Where a promise holds for both. */
const ways = ['complete', 'abandon'];

describe('POST /api/user-challenges/accept', () => {
  it('answers 201 with the new ACTIVE challenge, without template, its fields in the order of the spec', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    clock.set('2026-12-03T04:05:06.789Z');
    const { status, body } = await ana.rest.post('/api/user-challenges/accept', { templateId: 2 });
    expect(status).toBe(201);
    expect(Object.entries(body)).toEqual(
      Object.entries({
        id: expect.any(Number),
        user_id: ana.id,
        template_id: 2,
        status: 'ACTIVE',
        start_date: '2026-12-03T04:05:06.789Z',
        completed_at: null,
        notes: null,
        created_at: '2026-12-03T04:05:06.789Z',
        updated_at: '2026-12-03T04:05:06.789Z',
      }),
    );
  });

  it.each([8_888, 0, -1, 2 ** 53, 1e300])(
    'answers 404 when no template has the id %d',
    async (templateId) => {
      const { newUser } = await world();
      const ana = await newUser();
      expect(await ana.rest.post('/api/user-challenges/accept', { templateId })).toEqual(noTemplate);
      expect(await list(ana)).toEqual([]);
    },
  );

  it('is refused when templateId is missing or no whole number', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const templateId of [undefined, null, '', '1', 1.5, true, [1], { id: 1 }]) {
      const answer = await ana.rest.post('/api/user-challenges/accept', { templateId });
      expect(answer, JSON.stringify(templateId)).toEqual(refusal(400, expect.stringMatching(/template/i)));
    }
    expect(await list(ana)).toEqual([]);
  });
});

describe('GET /api/user-challenges', () => {
  it('answers 200 with an empty array when none was ever accepted', async () => {
    const { newUser } = await world();
    const answer = await (await newUser()).rest.get('/api/user-challenges');
    expect(answer).toMatchObject({ status: 200, text: '[]' });
  });

  it('answers the caller’s challenges in every status with their templates, newest start first', async () => {
    const { clock, newUser } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    await bea.hasAccepted(7);
    const made = [];
    for (const [way, templateId] of [
      ['complete', 1],
      ['abandon', 2],
      [undefined, 3],
    ] as const) {
      clock.advance({ days: 1 });
      const accepted = await ana.hasAccepted(templateId);
      const { body } = way ? await end(ana, accepted, way) : { body: accepted };
      const { body: template } = await ana.rest.get(`/api/challenge-templates/${templateId}`);
      const { id, title, description, duration_days } = template;
      made.unshift({ ...body, template: { id, title, description, duration_days } });
    }
    const { status, body } = await ana.rest.get('/api/user-challenges');
    expect(status).toBe(200);
    expect(body.map(Object.entries)).toEqual(made.map((challenge) => Object.entries(challenge)));
    for (const { template } of body) {
      expect(Object.keys(template)).toEqual(['id', 'title', 'description', 'duration_days']);
    }
    const statuses = body.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['ACTIVE', 'ABANDONED', 'COMPLETED']);
  });
});

describe('GET /api/user-challenges/active', () => {
  it('answers 200 and null, never 404, when there is none', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const nothing = { status: 200, body: null, text: 'null' };
    expect(await ana.rest.get('/api/user-challenges/active')).toMatchObject(nothing);
    for (const way of ways) {
      await end(ana, await ana.hasAccepted(), way);
      expect(await ana.rest.get('/api/user-challenges/active')).toMatchObject(nothing);
    }
  });

  it('answers 200 with the ACTIVE challenge as the list shows it', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    await end(ana, await ana.hasAccepted(1), 'abandon');
    const challenge = await ana.hasAccepted(2);
    const { status, body } = await ana.rest.get('/api/user-challenges/active');
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...challenge, status: 'ACTIVE', completed_at: null });
    expect(Object.entries(body)).toEqual(Object.entries((await list(ana))[0]));
  });
});

describe('PUT /api/user-challenges/:id/notes', () => {
  const write = (user: TestUser, { id }: { id: number }, notes: unknown) =>
    user.rest.put(`/api/user-challenges/${id}/notes`, { notes });

  it('answers 200 with the challenge, its notes replaced and updated_at refreshed', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasAccepted();
    for (const notes of ['Day one', ' Day two\n😀 ', '']) {
      clock.advance({ hours: 1 });
      const { status, body } = await write(ana, before, notes);
      const expected = { ...before, notes, updated_at: clock.now().toISOString() };
      expect(status).toBe(200);
      expect(Object.entries(body)).toEqual(Object.entries(expected));
      expect(await active(ana)).toMatchObject(expected);
    }
  });

  it('refuses notes that are missing or break their rule, and changes nothing', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const challenge = await ana.hasAccepted();
    for (const notes of [undefined, null, 5, true, ['a'], {}, 'x'.repeat(10_001), '😀'.repeat(10_001)]) {
      const answer = await write(ana, challenge, notes);
      expect(answer, JSON.stringify(notes)).toEqual(refusal(400, expect.stringMatching(/notes/i)));
    }
    expect(await active(ana)).toMatchObject(challenge);
  });
});

describe.each([
  { way: 'complete', ended: 'COMPLETED' },
  { way: 'abandon', ended: 'ABANDONED' },
])('PUT /api/user-challenges/:id/$way', ({ way, ended }) => {
  it(`answers 200 with the challenge, ${ended}`, async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const before = await ana.hasAccepted();
    clock.advance({ days: 3 });
    const now = clock.now().toISOString();
    const { status, body } = await end(ana, before, way);
    expect(status).toBe(200);
    const completed_at = way === 'complete' ? now : null;
    const expected = { ...before, status: ended, completed_at, updated_at: now };
    expect(Object.entries(body)).toEqual(Object.entries(expected));
    expect(await list(ana)).toMatchObject([expected]);
  });

  it('done again answers 200 and changes nothing, so that a retry is safe', async () => {
    const { clock, newUser } = await world();
    const ana = await newUser();
    const challenge = await ana.hasAccepted();
    const first = await end(ana, challenge, way);
    clock.advance({ hours: 1 });
    expect(await end(ana, challenge, way)).toMatchObject({ status: 200, text: first.text });
  });
});
