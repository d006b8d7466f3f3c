import { describe, expect, it } from 'vitest';
import { later } from '../../src/page/client/today/days.js';
import { eventually } from '../support/eventually.js';
import { openWindow } from '../support/window.js';
import { type TestUser, worldOf } from '../support/world.js';

type Window = Awaited<ReturnType<typeof openWindow>>;

const LENGTHS = { title: 'Swim', target: { amount: 9, unit: 'lengths' } };

const refused = (reason: string) => Response.json({ errors: [{ message: 'No', extensions: { reason } }] });

const lost = (): never => {
  throw new TypeError('The connection is lost');
};

/** Somebody with habits, of whom a window is open, which the service tells of what others do. */
async function withHabits(habits: object[] = [{ title: 'Swim' }], hear?: Parameters<typeof openWindow>[2]) {
  const { ana, ...here } = await worldOf('ana');
  const ids: string[] = [];
  const make = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { task { id } } }';
  for (const input of habits) ids.push((await ana.query(make, { input })).createTask.task.id);
  const page = await openWindow(here, ana, hear);
  await page.follows();
  await page.refresh();
  const says = (words: string, title = 'Swim') => eventually(() => page.says(title) === words);
  const waiting = (count: number) => eventually(() => page.get().taps.length === count);
  return { ana, ids, clock: here.clock, page, says, waiting };
}

/** News are heard only when they are let through. */
async function withNewsHeld(habit: object) {
  const held: (() => void)[] = [];
  const hear = (text: string, hearing: () => void) =>
    text.includes('progressChanged') ? held.push(hearing) : hearing();
  const opened = await withHabits([habit], hear);
  const hears = async (count: number) => {
    await eventually(() => held.length >= count);
    for (const hearing of held.splice(0, count)) hearing();
  };
  return { ...opened, hears };
}

const doneBy = async (ana: TestUser): Promise<number> =>
  (await ana.query('{ completions { totalCount } }')).completions.totalCount;

const COMPLETE = `mutation ($id: ID!, $amount: Float, $at: DateTime) {
  completeTask(taskId: $id, amount: $amount, at: $at) { isReplayed }
}`;

const does = (ana: TestUser, id = '', given: { amount?: number; at?: string } = {}) =>
  ana.query(COMPLETE, { id, ...given });

/** Taps, and takes that back while the tap is on its way. */
async function undoneWhileItIsSent(page: Window, before: () => unknown = () => {}) {
  const pressed = Promise.withResolvers<void>();
  const sent = page.intercept('completeTasks', async (ask) => {
    await before();
    await pressed.promise;
    return ask();
  });
  void page.tap('Swim');
  await eventually(() => sent.count === 1);
  void page.undo('Swim');
  await eventually(() => page.says('Swim') === '');
  return pressed.resolve;
}

describe('A tap', () => {
  it('that was counted is not shown as refused when its undo is', async () => {
    const { ana, page, says, waiting } = await withHabits();
    const arrive = await undoneWhileItIsSent(page);
    page.intercept('undoCompletion', () => refused('FORBIDDEN'));
    arrive();
    await eventually(() => page.get().notice?.text === 'No.');
    await says('saved');
    await waiting(0);
    expect(await doneBy(ana)).toBe(1);
  });

  it('is undone after the connection dropped between both, and keeps none of another habit waiting', async () => {
    const { ana, page, waiting } = await withHabits([{ title: 'Swim' }, { title: 'Read' }]);
    const arrive = await undoneWhileItIsSent(page);
    let isBroken = true;
    const undone = page.intercept('undoCompletion', (ask) => (isBroken ? lost() : ask()));
    arrive();
    await eventually(() => undone.count > 0);
    void page.tap('Read');
    await eventually(() => page.says('Read') === 'saved');
    isBroken = false;
    page.comeBack();
    await waiting(0);
    expect(await doneBy(ana)).toBe(1);
  });

  it('waits for another attempt while a gateway answers, or the service is busy', async () => {
    const answers = [
      Response.json({ error: 'Too many requests' }),
      Response.json({ errors: [{ message: 'rate limited' }] }),
      Response.json(null),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      refused('TOO_MANY_ATTEMPTS'),
      refused('OVERLOADED'),
    ];
    const { ana, page, says } = await withHabits();
    const sent = page.intercept('completeTasks', (ask, count) => answers[count - 1] ?? ask());
    void page.tap('Swim');
    for (const index of answers.keys()) {
      await eventually(() => sent.count > index);
      const isOver = () => sent.count > answers.length; // it also tries again by itself
      await eventually(() => page.says('Swim') === 'waiting for the network' || isOver());
      page.comeBack();
    }
    await says('saved');
    expect(await doneBy(ana)).toBe(1);
  });

  it('is not held up by a log-in that has ended, where another window has a newer one', async () => {
    const { ana, page, says } = await withHabits();
    const sent = page.intercept('completeTasks', (ask, count) =>
      count === 1 ? refused('TOKEN_INVALID') : ask(),
    );
    const { token } = (await ana.rest.post('/api/auth/login', ana.account)).body;
    page.kept.set('steady/page:session', JSON.stringify({ token, userId: ana.id }));
    void page.tap('Swim');
    await eventually(() => sent.count > 0);
    page.comeBack();
    await says('saved');
    expect(page.get().session?.token).toBe(token);
  });

  it('does no second time what was done on another device meanwhile, and adds to a target', async () => {
    const { ana, ids, page, says } = await withHabits([{ title: 'Gym' }, LENGTHS]);
    page.setOnline(false);
    for (const title of ['Gym', 'Swim']) void page.tap(title);
    await says('1 of 9 lengths, waiting for the network');
    await does(ana, ids[0]);
    page.setOnline(true);
    await says('saved', 'Gym');
    await says('1 of 9 lengths, saved');
    expect(await doneBy(ana)).toBe(2);
    await page.tap('Gym'); // what is done is taken back, whoever has done it
    expect(await doneBy(ana)).toBe(1);
  });

  it('that is undone before anybody knows of another device leaves what that has done', async () => {
    const { ana, ids, page, says, waiting } = await withHabits();
    const arrive = await undoneWhileItIsSent(page, () => does(ana, ids[0]));
    arrive();
    await waiting(0);
    await says('saved');
    expect(await doneBy(ana)).toBe(1);
  });

  it('counts after one that was undone, though nobody knew what had become of that', async () => {
    const { ana, page, says, waiting } = await withHabits();
    page.intercept('completeTasks', async (ask, count) => {
      if (count > 1) return ask();
      await ask();
      page.setOnline(false);
      return lost();
    });
    for (const words of ['waiting for the network', '']) {
      await page.tap('Swim');
      await says(words);
    }
    void page.tap('Swim');
    await waiting(2);
    page.setOnline(true);
    await waiting(0);
    await says('saved');
    expect(await doneBy(ana)).toBe(1);
  });

  it('is undone by the service when another window has sent it, and this one has not heard of it', async () => {
    const { ana, page } = await withHabits();
    page.setOnline(false);
    void page.tap('Swim');
    await eventually(() => page.get().taps.length === 1);
    const { taps } = page.get();
    page.setOnline(true);
    await eventually(() => page.says('Swim') === 'saved');
    page.set({ taps });
    await page.undo('Swim');
    await eventually(async () => (await doneBy(ana)) === 0);
  });

  it('of too long ago is refused, and counts for today once the person says so', async () => {
    const { ana, clock, page, says, waiting } = await withHabits([LENGTHS]);
    page.setOnline(false);
    void page.tap('Swim');
    await waiting(1);
    clock.advance({ days: 8 });
    page.setOnline(true);
    await says('0 of 9 lengths, refused');
    const [tap] = page.get().taps;
    expect([tap?.refusal?.reason, await doneBy(ana)]).toEqual(['TOO_LONG_AGO', 0]);
    const now = { refusal: null, countsOnArrival: true };
    await page.waitingTaps.change(tap?.key ?? '', (kept) => ({ ...kept, ...now }));
    await page.send();
    await says('1 of 9 lengths, saved');
  });

  it('adds as much as was chosen, at most what is left of the day, and more when that is kept', async () => {
    const target = { amount: 25, unit: 'pages' };
    const { page, says } = await withHabits([{ title: 'Read', target, step: 10 }]);
    for (const amount of [10, 20, 25, 35]) {
      await page.tap('Read');
      await says(`${amount} of 25 pages, saved`, 'Read');
    }
  });

  it('adds to a limit on the day that is shown, without a network too, and not where it was undone before', async () => {
    const target = { amount: 2, unit: 'cups', kind: 'AT_MOST' };
    const { page, says, waiting } = await withHabits([{ title: 'Coffee', target }]);
    const yesterday = later(page.get().screen?.user.today ?? '', -1);
    page.setOnline(false);
    for (const count of [1, 2, 3, 4]) {
      void page.tap('Coffee', yesterday);
      await waiting(count);
    }
    await page.undo('Coffee', yesterday);
    page.setOnline(true);
    await waiting(0);
    expect(page.says('Coffee', yesterday)).toBe('3 of 2 cups, 1 over, saved');
    await says('0 of 2 cups', 'Coffee');
  });
});

describe('An undo', () => {
  it('takes back what was done last, whatever older news are heard meanwhile', async () => {
    const { ana, ids, page, hears, says } = await withNewsHeld({ title: 'Swim' });
    for (const words of ['saved', '', 'saved']) {
      await page.tap('Swim');
      expect(page.says('Swim')).toBe(words);
    }
    await hears(2);
    expect(page.says('Swim')).toBe('saved');
    await page.undo('Swim');
    expect([page.says('Swim'), await doneBy(ana)]).toEqual(['', 0]);
    for (const _time of [1, 2]) {
      await hears(1);
      expect(page.says('Swim')).toBe('');
    }
    await does(ana, ids[0]);
    await hears(1);
    await says('saved');
  });

  it('takes back two where it is pressed twice, one after the other', async () => {
    const { ana, page, says } = await withHabits([LENGTHS]);
    for (const _time of [1, 2, 3]) await page.tap('Swim');
    const pressed = Promise.withResolvers<void>();
    const undone = page.intercept('undoCompletion', async (ask) => {
      await pressed.promise;
      return ask();
    });
    void page.undo('Swim');
    await eventually(() => undone.count === 1);
    void page.undo('Swim');
    pressed.resolve();
    await says('1 of 9 lengths, saved');
    expect(await doneBy(ana)).toBe(1);
  });

  it('says so where there is nothing to undo, with a network and without, and can be tried again', async () => {
    const { page, ana, says } = await withHabits([{ title: 'Swim' }, { title: 'Read' }]);
    await page.tap('Swim');
    for (const isOnline of [true, false]) {
      page.setOnline(isOnline);
      await eventually(() => page.get().isOnline === isOnline);
      await page.undo('Read');
      expect(page.get().notice?.text).toBe('Read: nothing to undo.');
      page.set({ notice: null });
    }
    await page.undo('Swim');
    expect(page.get().notice?.text).toContain('Without a network “Swim” cannot be undone');
    page.setOnline(true);
    await page.get().notice?.undo?.act();
    await says('');
    expect(await doneBy(ana)).toBe(0);
  });
});

describe('What another device does', () => {
  it('while a tap is on its way is shown when the answer of the tap is older', async () => {
    const { ana, ids, page, hears } = await withNewsHeld(LENGTHS);
    page.intercept('completeTasks', async (ask) => {
      const answer = await ask();
      await does(ana, ids[0], { amount: 1 });
      await hears(2);
      return answer;
    });
    await page.tap('Swim');
    await eventually(() => page.says('Swim') === '2 of 9 lengths, saved');
  });

  it('is shown while a tap is on its way, which is not counted twice', async () => {
    const { ana, page, hears, says } = await withNewsHeld(LENGTHS);
    let shown = '';
    page.intercept('completeTasks', async (ask) => {
      const answer = await ask();
      await ana.hasTask({ title: 'Read' });
      await hears(2);
      await eventually(() => page.get().screen?.tasks.length === 2);
      shown = page.says('Swim');
      return answer;
    });
    await page.tap('Swim');
    await says('1 of 9 lengths, saved');
    expect(shown).toBe('1 of 9 lengths, saving');
  });
});

describe('What is shown', () => {
  it('is asked for once more when changes arrive from then on, and not before', async () => {
    const { ana, ...here } = await worldOf('ana');
    const [reached, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const page = await openWindow(here, ana, async (text, hearing) => {
      if (text.includes('inForce')) {
        reached.resolve();
        await passed.promise;
      }
      hearing();
    });
    const asked = page.intercept('FirstScreen', (ask) => ask());
    await reached.promise;
    expect(asked.count).toBe(0);
    passed.resolve();
    await eventually(() => asked.count === 1);
  });

  it('is not overwritten by answers that are older, nor asked for without end while news keep coming', async () => {
    const { ana, ids, page } = await withHabits([LENGTHS]);
    const asked = page.intercept('FirstScreen', async (ask, count) => {
      const answer = await ask();
      await does(ana, ids[0], { amount: 1 });
      await eventually(() => Number.parseInt(page.says('Swim'), 10) >= count);
      return answer;
    });
    await page.refresh();
    expect([page.says('Swim'), asked.count]).toEqual(['3 of 9 lengths, saved', 3]);
    await page.tap('Swim');
    expect(page.says('Swim')).toBe('4 of 9 lengths, saved');
  });

  it('is asked for again after an answer was lost, and has more habits than fit into one answer', async () => {
    const titles = ['Swim', 'Read', 'Walk'];
    const { ana, ids, page } = await withHabits([...titles, 'Old', 'Older'].map((title) => ({ title })));
    for (const id of ids.slice(3))
      await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    page.intercept('FirstScreen', lost);
    await page.refresh();
    expect(page.get().isOnline).toBe(false);
    page.intercept('first: 100', (ask, _count, body) => ask(body.replaceAll('first: 100', 'first: 1')));
    page.halfMinute();
    await eventually(() => page.get().isOnline);
    const { tasks = [], archived = [] } = page.get().screen ?? {};
    expect(tasks.map(({ title }) => title)).toEqual(titles);
    expect(archived.map(({ title }) => title).sort()).toEqual(['Old', 'Older']);
  });

  it('counts a habit that is archived on the days before', async () => {
    const { ana, ids, page } = await withHabits([{ title: 'Swim' }, { title: 'Read' }]);
    const week = [-6, -5, -4, -3, -2, -1, 0].map((days) => later(page.get().screen?.user.today ?? '', days));
    for (const id of ids) await does(ana, id, { at: `${week[5]}T12:00:00Z` });
    await page.archiveTask(page.taskOf('Read'));
    await page.refresh();
    const { screen } = page.get();
    if (!screen) throw new Error('Nothing is known');
    const yesterday = () => page.countsByDay(screen, week, page.knownIn(page.get(), screen))[5];
    expect(yesterday()).toMatchObject({ asked: 1, done: 1 });
    page.noteArchived(screen);
    await eventually(() => yesterday()?.done === 2);
    expect(yesterday()).toMatchObject({ asked: 2, done: 2 });
  });
});

describe('A habit', () => {
  it('that is saved again since its answer was lost is one habit, with what was corrected meanwhile', async () => {
    const { ana, page } = await withHabits([]);
    page.intercept('createTask', async (ask, count) => {
      const answer = await ask();
      return count === 1 ? lost() : answer;
    });
    await expect(page.createTask({ title: 'Swimm' }, 'one')).rejects.toThrow();
    const inputs = [
      { title: 'Swim', points: 3 },
      { title: 'Swim', points: 10 },
    ];
    for (const [index, input] of inputs.entries())
      await Promise.all([1, 2].map(() => page.createTask(input, ['one', 'another'][index] ?? ''))); // pressed twice
    const { tasks } = await ana.query('{ tasks { nodes { title points } } }');
    expect(tasks.nodes).toEqual(inputs);
    await page.refresh();
    const before = page.inputOf(page.taskOf('Swim'));
    const lines = (description: string) => ({ ...before, description });
    expect(page.changed(lines('a\nb'), lines('a\r\nb'))).toBeNull();
    expect(page.changed(before, { ...before, title: 'Swim 1 km' })).toEqual({ title: 'Swim 1 km' });
  });

  it('is archived once the service answers, which it is said not to do until then, and brought back', async () => {
    const { page } = await withHabits([{ title: 'Swim' }, { title: 'Read' }]);
    const titles = () => (page.get().screen?.tasks ?? []).map(({ title }) => title).join();
    const extensions = { reason: 'DATABASE_AWAY', outcome: 'NOT_APPLIED' };
    const errors = [{ message: 'Service unavailable', extensions }];
    page.intercept('archiveTask', () => Response.json({ errors }));
    const sentence = () => page.archiveTask(page.taskOf('Swim')).catch(({ sentence }) => sentence);
    expect(await sentence()).toBe('That was not done: the service does not answer. Try again.');
    page.setOnline(false);
    page.intercept('archiveTask', lost);
    expect(await sentence()).toBe('This needs a network.');
    page.intercept('archiveTask', (ask) => ask());
    page.setOnline(true);
    expect(await sentence()).toBeUndefined();
    await eventually(() => titles() === 'Read');
    expect(page.get().notice?.text).toBe('“Swim” is archived.');
    await page.get().notice?.undo?.act();
    await eventually(() => titles() === 'Swim,Read');
  });
});

describe('A dialog', () => {
  it('is not opened late, nor closed by what was done in another one, while one is in use', async () => {
    const { ana, ...here } = await worldOf('ana');
    const page = await openWindow(here, ana);
    const come = Promise.withResolvers<void>();
    const view = () => null;
    const late = page.openLater(
      'Check-in link',
      () => come.promise.then(() => view),
      (part) => part,
    );
    page.open('Menu', view);
    const skipped = page.thenClose(() => come.promise);
    page.putAway();
    page.open('New habit', view);
    come.resolve();
    await Promise.all([late, skipped]);
    expect(page.get().dialog?.title).toBe('New habit');
    await page.thenClose(async () => {});
    expect(page.get().dialog).toBeNull();
  });
});

it('A file that is brought is refused with its first five faults, each with its place, and how many more', async () => {
  const { ana, ben, ...here } = await worldOf('ana', 'ben');
  await ben.hasTask();
  const page = await openWindow(here, ana);
  const exported = (await ben.rest.get('/account/export')).body;
  const tasks = Array.from({ length: 8 }, (_, id) => ({ ...exported.tasks[0], id, colour: 'PLAID' }));
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ ...exported, tasks });
  const refusal = page.call('account/import', { method: 'POST', headers, body });
  const lines: string[] = await refusal.then(
    () => [],
    ({ message }) => message.split('\n'),
  );
  expect(lines[4]).toMatch(/^Task 5: Colour must be .* \(tasks\[4\]\.colour\)$/);
  expect(lines.slice(5)).toEqual(['and 3 more found']);
});
