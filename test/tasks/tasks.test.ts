import { describe, expect, it } from 'vitest';
import { apis, endings, world, worldOf } from '../support/apis.js';

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
  it('has each task with the number of its completions of all time', async () => {
    const { clock, newUser, renewed } = await world(api);
    let ana = await newUser();
    expect(await ana.tasks()).toEqual([]);
    const [swim, run] = [await ana.createsTask(), await ana.createsTask({ title: 'Run' })];
    for (const days of [0, 1, 365]) {
      clock.advance({ days });
      ana = renewed(ana);
      await ana.completes(swim);
    }
    expect(await ana.tasks()).toEqual([
      { ...swim, completionCount: 3 },
      { ...run, completionCount: 0 },
    ]);
  });

  it('is ordered by the time they were made, then by id, whatever happened since', async () => {
    const { ana, clock } = await worldOf(api, 'ana');
    const [second, third] = [await ana.createsTask(), await ana.createsTask()];
    clock.advance({ ms: -1 });
    const first = await ana.createsTask();
    clock.advance({ days: 1 });
    await ana.completes(third);
    await ana.changesTask(second, { title: 'Updated' });
    expect((await ana.tasks()).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });

  it('has every task, and only the caller’s', async () => {
    const { ana, bea } = await worldOf(api, 'ana', 'bea');
    await bea.createsTask();
    const made = await Promise.all(Array.from({ length: 12 }, () => ana.createsTask()));
    const ids = made.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
    expect((await ana.tasks()).map(({ id }) => id)).toEqual(ids);
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
