import { describe, expect, it } from 'vitest';
import { apis, endings, refused, world } from '../support/apis.js';

const notPositive = refused('invalid', 'Points must be greater than zero');

const fields = {
  'a title of 500 characters, counted in code points': { title: '😀'.repeat(500) },
  'a title with space around it, exactly as sent': { title: '  Swim \n' },
  'a title of any script and sign': { title: '李 <b>"Swim"</b> \\ \' ; -- %s $1 👩‍👩‍👧 \u202e' },
  'a description of 10,000 characters': { description: '€'.repeat(10_000) },
  'a description of 10,000 characters, counted in code points': { description: '🏊'.repeat(10_000) },
  'an empty description': { description: '' },
  'a description of several lines, exactly as sent': { description: ' 1\r\n\t2\n ' },
  'the most points': { points: 1_000_000_000 },
  'points with a fraction': { points: 2.5 },
  'points of which binary fractions know only nearly': { points: 0.1 },
  'the fewest points that a number can say': { points: 5e-324 },
  'points of seventeen digits': { points: 123_456_789.01234567 },
  'a daily routine': { isDailyRoutine: true },
};

/** Field, the sentence that refuses it, values of the right type that break its rule. */
const broken: [field: string, message: string, values: unknown[]][] = [
  ['title', 'Title must not be blank', ['', '   ', '\n\t', '\u00a0\u3000']],
  ['title', 'Title must be at most 500 characters long', ['x'.repeat(501)]],
  ['description', 'Description must be at most 10000 characters long', ['x'.repeat(10_001)]],
  ['description', 'Description must be well-formed Unicode', ['\ud800']],
  ['points', 'Points must be at most 1000000000', [1_000_000_001, 1_000_000_000.0001]],
  ['points', 'Points must be a number', [null]],
  ['isDailyRoutine', 'Daily routine must be true or false', [null]],
];

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

  it('takes a description or template of null as none', async () => {
    const { newUser } = await world(api);
    const nothing = { description: null, challengeTemplateId: null };
    expect(await (await newUser()).createsTask(nothing)).toMatchObject(nothing);
  });

  it('has an id above those of all earlier ones', async () => {
    const { newUser } = await world(api);
    const [ana, bea] = [await newUser(), await newUser()];
    const ids = [];
    for (const user of [ana, bea, ana]) ids.push(Number((await user.createsTask()).id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it.each(Object.entries(fields))('takes %s', async (_what, field) => {
    const { newUser } = await world(api);
    const ana = await newUser();
    expect(await ana.createsTask(field)).toMatchObject(field);
    const other = await ana.createsTask();
    expect(await ana.changesTask(other, field)).toMatchObject(field);
    expect(await ana.tasks()).toMatchObject([field, field]);
  });

  it.each([0, -0, -1, -0.5, -5e-324, -1_000_000_001])('may not have %d points', async (points) => {
    const { newUser } = await world(api);
    const ana = await newUser();
    await expect(ana.createsTask({ points })).rejects.toEqual(notPositive);
    const before = await ana.createsTask();
    await expect(ana.changesTask(before, { title: 'Run', points })).rejects.toEqual(notPositive);
    expect(await ana.tasks()).toMatchObject([before]);
  });

  it('is refused for the first of several faults', async () => {
    const { newUser } = await world(api);
    const faults = { title: ' ', points: 0, description: '\0' };
    await expect((await newUser()).createsTask(faults)).rejects.toEqual(
      refused('invalid', 'Title must not be blank'),
    );
  });

  it.each(broken)('is refused, and changes nothing, where the %s breaks its rule: %s', async (...row) => {
    const [field, message, values] = row;
    const { clock, newUser } = await world(api);
    const ana = await newUser();
    const before = await ana.createsTask();
    clock.advance({ seconds: 1 });
    for (const value of values) {
      const given = { isDailyRoutine: true, [field]: value };
      await expect(ana.createsTask(given)).rejects.toEqual(refused('invalid', message));
      await expect(ana.changesTask(before, given)).rejects.toEqual(refused('invalid', message));
    }
    expect(await ana.tasks()).toEqual([{ ...before, completionCount: 0 }]);
  });
});

describe.each(apis)('A task with a template, over %s', (api) => {
  const noActive = refused('invalid', "You don't have an active challenge for this template");

  it('is made while the user has an ACTIVE challenge based on the template', async () => {
    const { newUser } = await world(api);
    const ana = await newUser();
    await ana.accepts(2);
    expect(await ana.createsTask({ challengeTemplateId: 2 })).toMatchObject({ challengeTemplateId: '2' });
  });

  it('is refused without any challenge, with one of another template, or with another user’s', async () => {
    const { newUser } = await world(api);
    const [ana, bea, cleo] = [await newUser(), await newUser(), await newUser()];
    await bea.accepts(3);
    await cleo.accepts(2);
    for (const user of [ana, bea]) {
      await expect(user.createsTask({ challengeTemplateId: 2 })).rejects.toEqual(noActive);
      expect(await user.tasks()).toEqual([]);
    }
  });

  it.each(endings)(
    'is refused once the challenge is %s, and keeps its link if made before',
    async (ending) => {
      const { newUser } = await world(api);
      const ana = await newUser();
      const challenge = await ana.accepts(2);
      await ana.createsTask({ challengeTemplateId: 2 });
      await ana.ends(challenge, ending);
      await expect(ana.createsTask({ challengeTemplateId: 2 })).rejects.toEqual(noActive);
      expect(await ana.tasks()).toMatchObject([{ challengeTemplateId: '2' }]);
    },
  );

  it('is refused where there is no such template', async () => {
    const { newUser } = await world(api);
    const ana = await newUser();
    await ana.accepts(2);
    for (const challengeTemplateId of [8_888, 0, -1]) {
      await expect(ana.createsTask({ challengeTemplateId })).rejects.toEqual(
        refused('missing', 'Challenge template not found'),
      );
    }
  });
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
    const { clock, newUser } = await world(api);
    const ana = await newUser();
    const [second, third] = [await ana.createsTask(), await ana.createsTask()];
    clock.advance({ ms: -1 });
    const first = await ana.createsTask();
    clock.advance({ days: 1 });
    await ana.completes(third);
    await ana.changesTask(second, { title: 'Updated' });
    expect((await ana.tasks()).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });

  it('has every task, and only the caller’s', async () => {
    const { newUser } = await world(api);
    const [ana, bea] = [await newUser(), await newUser()];
    await bea.createsTask();
    const made = await Promise.all(Array.from({ length: 12 }, () => ana.createsTask()));
    const ids = made.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
    expect((await ana.tasks()).map(({ id }) => id)).toEqual(ids);
  });
});

describe.each(apis)('Changing a task, over %s', (api) => {
  it.each([
    { title: 'Run', description: 'Two miles', points: 0.25, isDailyRoutine: false },
    { title: 'Run' },
    { description: 'Two miles' },
    { description: null },
    { points: 3 },
    { isDailyRoutine: false },
    {},
  ])('changes what is given, and the time of the update: %j', async (changes) => {
    const { clock, newUser } = await world(api);
    const ana = await newUser();
    const before = await ana.createsTask({ description: 'A mile', points: 2, isDailyRoutine: true });
    clock.advance({ ms: 1 });
    const after = { ...before, ...changes, updatedAt: clock.now().toISOString() };
    expect(await ana.changesTask(before, changes)).toEqual(after);
    expect(await ana.tasks()).toEqual([{ ...after, completionCount: 0 }]);
  });

  it('of another user is refused and leaves it as it was', async () => {
    const { newUser } = await world(api);
    const [ana, bea] = [await newUser(), await newUser()];
    const before = await ana.createsTask();
    await expect(bea.changesTask(before, { title: 'Mine' })).rejects.toEqual(
      refused('invalid', "This task doesn't belong to you"),
    );
    expect(await ana.tasks()).toMatchObject([before]);
  });

  it('is refused where no task has the id', async () => {
    const { newUser } = await world(api);
    const change = (await newUser()).changesTask({ id: '88888888' }, { title: 'Run' });
    await expect(change).rejects.toEqual(refused('missing', 'Task not found'));
  });
});
