import { describe, expect, it } from 'vitest';
import { apis, endings, world, worldOf } from '../support/apis.js';
import { worldOf as worldOfBoth } from '../support/world.js';

const fields = {
  'a title of 500 characters, counted in code points': { title: '😀'.repeat(500) },
  'a title with space around it, exactly as sent': { title: '  Swim \n' },
  'a title of any script and sign': { title: '李 <b>"Swim"</b> \\ \' ; -- %s $1 👩‍👩‍👧 \u202e' },
  'a description of 10,000 characters, counted in code points': { description: '🏊'.repeat(10_000) },
  'an empty description': { description: '' },
  'null for none': { description: null, challengeTemplateId: null },
  'the most points': { points: 1_000_000_000 },
  'points with a fraction': { points: 2.5 },
  'the fewest points that a number can say': { points: 5e-324 },
  'a daily routine': { isDailyRoutine: true },
};

describe.each(apis)('A task, over %s', (api) => {
  it('needs only a title: 10 points, no description, no routine, no template', async () => {
    const { clock, newUser } = await world(api);
    clock.set('2026-11-21T08:30:00.000Z');
    const ana = await newUser();
    const task = await ana.createsTask({ title: 'Swim' });
    expect(task).toEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      title: 'Swim',
      description: null,
      points: 10,
      isDailyRoutine: false,
      challengeTemplateId: null,
      createdAt: '2026-11-21T08:30:00.000Z',
      updatedAt: '2026-11-21T08:30:00.000Z',
    });
    expect(await ana.tasks()).toEqual([{ ...task, completionCount: 0 }]);
  });

  it('takes whatever the rules allow, made so or changed', async () => {
    const { ana } = await worldOf(api, 'ana');
    for (const [what, field] of Object.entries(fields)) {
      expect(await ana.createsTask(field), what).toMatchObject(field);
      expect(await ana.changesTask(await ana.createsTask(), field), what).toMatchObject(field);
    }
    expect(await ana.tasks()).toMatchObject(Object.values(fields).flatMap((field) => [field, field]));
  });
});

describe.each(apis)('A task with a template, over %s', (api) => {
  it.each(endings)(
    'is made while its challenge is ACTIVE, and keeps its link once that is %s',
    async (ending) => {
      const { ana } = await worldOf(api, 'ana');
      const challenge = await ana.accepts(2);
      expect(await ana.createsTask({ challengeTemplateId: 2 })).toMatchObject({ challengeTemplateId: '2' });
      await ana.ends(challenge, ending);
      expect(await ana.tasks()).toMatchObject([{ challengeTemplateId: '2' }]);
    },
  );
});

describe.each(apis)('The list of tasks, over %s', (api) => {
  it('has every task, and only the caller’s, by the time they were made, then by id, with its completions of all time', async () => {
    const { clock, newUser, renewed } = await world(api);
    const bea = await newUser();
    await bea.createsTask();
    let ana = await newUser();
    expect(await ana.tasks()).toEqual([]);
    const later = await Promise.all(Array.from({ length: 5 }, () => ana.createsTask()));
    later.sort((one, other) => Number(one.id) - Number(other.id));
    clock.advance({ ms: -1 });
    const first = await ana.createsTask({ title: 'First' });
    for (const days of [0, 1, 365]) {
      clock.advance({ days });
      ana = renewed(ana);
      await ana.completes(later[0] as (typeof later)[0]);
    }
    const changed = await ana.changesTask(later[1] as (typeof later)[0], { title: 'Updated' });
    const [busy, , ...others] = later;
    expect(await ana.tasks()).toEqual([
      ...[
        { ...first, completionCount: 0 },
        { ...busy, completionCount: 3 },
      ],
      ...[changed, ...others].map((task) => ({ ...task, completionCount: 0 })),
    ]);
  });
});

describe.each(apis)('Changing a task, over %s', (api) => {
  it.each([
    { title: 'Run', description: 'Two miles', points: 0.25, isDailyRoutine: false },
    { description: null },
    {},
  ])('changes what is given, and the time of the update: %j', async (changes) => {
    const { ana, clock } = await worldOf(api, 'ana');
    const before = await ana.createsTask({ description: 'A mile', points: 2, isDailyRoutine: true });
    clock.advance({ ms: 1 });
    const after = { ...before, ...changes, updatedAt: clock.now().toISOString() };
    expect(await ana.changesTask(before, changes)).toEqual(after);
    expect(await ana.tasks()).toEqual([{ ...after, completionCount: 0 }]);
  });
});

it('POST /api/tasks answers 201 with the task, its fields in the order of the spec', async () => {
  const { ana, clock } = await worldOfBoth('ana');
  expect(await ana.rest.get('/api/tasks/me')).toMatchObject({ status: 200, text: '[]' });
  await ana.hasAccepted(3);
  clock.set('2026-12-03T04:05:06.789Z');
  const sent = { title: 'Swim', points: 2.5, description: 'A mile', is_daily_routine: true };
  const { status, body } = await ana.rest.post('/api/tasks', { ...sent, challenge_template_id: 3 });
  const at = '2026-12-03T04:05:06.789Z';
  expect([status, ...Object.entries(body)]).toEqual([
    ...[201, ['id', expect.any(Number)], ['user_id', ana.id], ['challenge_template_id', 3]],
    ...[
      ['title', 'Swim'],
      ['description', 'A mile'],
      ['points', 2.5],
      ['is_daily_routine', true],
    ],
    ...[
      ['created_at', at],
      ['updated_at', at],
    ],
  ]);
  expect((await ana.rest.get('/api/tasks/me')).body).toEqual([{ task: body, completion_count: 0 }]);
});
