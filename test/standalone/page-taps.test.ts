/// <reference types="vite/client" />
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Screen, Tap, Task } from '../../src/page/client/types.js';

vi.hoisted(() => {
  vi.stubGlobal('location', new URL('http://localhost/'));
  vi.stubGlobal('navigator', { onLine: true });
  let session: string | null = null;
  const setItem = (_name: string, text: string) => {
    session = text;
  };
  vi.stubGlobal('localStorage', { getItem: () => session, setItem, removeItem: () => {} });
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      postMessage() {}
    },
  );
});

vi.resetModules(); // what they know lasts as long as a window

// There is no IndexedDB here, so taps are kept in memory, as in a browser that keeps nothing.
const { forgetTaps, tapsOf } = await import('../../src/page/client/kept.js');
const { get, set } = await import('../../src/page/client/store.js');
const { send, tap, undo } = await import('../../src/page/client/taps.js');
const { endSession, learn, refresh } = await import('../../src/page/client/screen.js');
const { compareClocks, momentOf, now } = await import('../../src/page/client/clock.js');

const streak = { days: 0, longest: 0, doneToday: false, atRisk: false };
const today = new Date().toISOString().slice(0, 10);
const user = {
  ...{ id: 'ana', name: 'Ana', email: 'ana@example.com', timeZone: 'UTC', dayStartsAt: 0, points: 0 },
  ...{ today, streak, activeChallenge: null, calendar: [] },
};
const swim = (completions = 0): Task => ({
  ...{ id: '1', title: 'Swim', description: null, points: 10, isDailyRoutine: true, challengeTemplate: null },
  today: { completions, lastCompletionId: completions ? '7' : null },
  streak,
});
const screenWith = (task: Task): Screen => ({ user, tasks: [task], putAway: [], templates: [] });

type Answer = (variables: { archived?: boolean }) => unknown;
let asked: string[] = [];
let answers: Record<string, Answer> = {};

/** What came in the way, instead of an answer. */
const lost: Answer = () => {
  throw new TypeError('Failed to fetch');
};
const refused = (reason: string) => ({ errors: [{ message: 'No', extensions: { reason } }] });
const counted = () => {
  const results = [{ completion: { id: '7' }, task: swim(1), error: null }];
  return { data: { completeTasks: { results, user } } };
};
const read = (task: Task) => ({
  data: {
    me: user,
    tasks: { nodes: [task], pageInfo: { hasNextPage: false, endCursor: '' } },
    putAway: { nodes: [], pageInfo: { hasNextPage: false, endCursor: '' } },
    challengeTemplates: [],
  },
});

afterAll(() => {
  vi.useRealTimers(); // other files run in this process
  vi.unstubAllGlobals();
});

const kept = () => tapsOf('ana');

beforeEach(async () => {
  await forgetTaps('ana');
  asked = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // no second attempt by itself
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', async (_address: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body);
    const name = /(?:mutation|query) (\w+)/.exec(query)?.[1] ?? '';
    asked.push(name);
    return Response.json(await answers[name]?.(variables));
  });
  answers = { Complete: counted, Undo: () => ({ data: { undoCompletion: { task: swim(), user } } }) };
  set({
    ...{ session: { token: 't', userId: 'ana', email: '' }, screen: screenWith(swim()), taps: [] },
    ...{ isOnline: true, problem: '' },
  });
});

const undoWhileItIsSent = () => {
  answers.Complete = async () => {
    await undo(swim());
    return counted();
  };
};

describe('A tap', () => {
  it('that was counted is not shown as refused when its undo is', async () => {
    undoWhileItIsSent();
    answers.Undo = () => refused('FORBIDDEN');
    await tap(swim());
    await send();
    expect(await kept()).toEqual([]);
    expect(get().problem).toBe('No.');
  });

  it('is undone after the connection dropped between both', async () => {
    undoWhileItIsSent();
    answers.Undo = lost;
    await tap(swim());
    await send();
    expect(await kept()).toMatchObject([{ isUndone: true, refusal: null }]);
    answers = {
      ...answers,
      Complete: counted,
      Undo: () => ({ data: { undoCompletion: { task: swim(), user } } }),
    };
    await send();
    expect(await kept()).toEqual([]);
    expect(asked.filter((name) => name === 'Undo').length).toBeGreaterThan(1);
  });

  it('is undone by the service when it was counted while the person pressed', async () => {
    await tap(swim());
    set({ taps: [{ ...tapOf('late'), isSent: true }] }); // the list has not heard of it
    answers.FirstScreen = () => read(swim(1));
    await undo(swim());
    expect(asked).toEqual(['Complete', 'FirstScreen', 'Undo']);
  });

  it('does not count as sent without a network', async () => {
    vi.stubGlobal('navigator', { onLine: false });
    answers.Reach = lost;
    await tap(swim());
    expect(await kept()).toMatchObject([{ isSent: false, refusal: null }]);
    await undo(swim());
    expect([await kept(), asked]).toEqual([[], ['Reach']]);
  });

  it.each([
    ['a gateway in JSON', { error: 'Too many requests' }],
    ['a gateway with a list', { errors: [{ message: 'rate limited' }] }],
    ['a gateway with nothing', null],
    ['the service, for too many attempts', refused('TOO_MANY_ATTEMPTS')],
    ['the service, that is busy', refused('OVERLOADED')],
  ])('waits for another attempt after an answer of %s', async (_name, answer) => {
    answers.Complete = () => answer;
    await tap(swim());
    expect(await kept()).toMatchObject([{ isSent: true, refusal: null }]);
    expect(get().isOnline).toBe(false);
  });

  it('is refused when the service gives a reason', async () => {
    answers.Complete = () => refused('INVALID_INPUT');
    await tap(swim());
    expect(await kept()).toMatchObject([{ refusal: { reason: 'INVALID_INPUT' } }]);
  });
});

const tapOf = (key: string): Tap => ({
  ...{ key, userId: 'ana', taskId: '1', title: 'Swim', at: Date.now() },
  ...{ isSent: false, isUndone: false, countsOnArrival: false, refusal: null },
});

describe('What is shown', () => {
  it('is not overwritten by an answer that is older', async () => {
    let times = 0;
    answers.FirstScreen = () => {
      times += 1;
      if (times > 1) return read(swim(1));
      learn({ user, tasks: [swim(1)] }); // while the question is on its way
      return read(swim());
    };
    await refresh();
    expect([times, get().screen?.tasks[0]?.today.completions]).toEqual([2, 1]);
  });

  it('is not asked for without end while news keep coming, which it takes in then', async () => {
    answers.FirstScreen = () => {
      learn({ user, tasks: [swim(1)] });
      return { data: { ...read(swim()).data, challengeTemplates: [{ id: 'new' }] } };
    };
    await refresh();
    expect(asked).toEqual(['FirstScreen', 'FirstScreen', 'FirstScreen']);
    expect(get().screen?.templates).toEqual([{ id: 'new' }]);
    expect(get().screen?.tasks[0]?.today.completions).toBe(1);
  });

  it('has more habits and more that are put away than fit into one answer', async () => {
    const pageInfo = { hasNextPage: true, endCursor: 'there' };
    const { data } = read(swim());
    answers = {
      FirstScreen: () => ({
        data: {
          ...data,
          tasks: { ...data.tasks, pageInfo },
          putAway: { nodes: [{ id: '8', title: 'Old' }], pageInfo },
        },
      }),
      MoreTasks: ({ archived }) =>
        archived
          ? { data: { tasks: { ...data.putAway, nodes: [{ id: '9', title: 'Older' }] } } }
          : read({ ...swim(), id: '2' }),
    };
    await refresh();
    expect(get().screen?.tasks.map(({ id }) => id)).toEqual(['1', '2']);
    expect(get().screen?.putAway.map(({ id }) => id)).toEqual(['8', '9']);
  });
});

describe('A log-in that has ended', () => {
  it('is the one that was asked with: another window may have a newer one', () => {
    const newer = { token: 'newer', userId: 'ana', email: 'ana@example.com' };
    localStorage.setItem('session', JSON.stringify(newer));
    endSession('t');
    expect(get().session).toEqual(newer);
    endSession('newer');
    expect(get().session).toEqual({ ...newer, token: null });
  });
});

describe('The clock of this device', () => {
  it('is taken for right where only the answer took long', () => {
    compareClocks(10_000, 9_500, 18_000);
    expect(Math.abs(now() - Date.now())).toBeLessThan(100);
    compareClocks(10_000, 14_000, 18_000);
    expect(Math.abs(now() - Date.now())).toBeLessThan(100);
  });

  it('is corrected when it is slow, or fast', () => {
    compareClocks(10_000, 70_000, 11_000);
    expect(now() - Date.now()).toBeGreaterThan(58_000);
    compareClocks(70_000, 10_000, 71_000);
    expect(now() - Date.now()).toBeLessThan(-59_000);
    compareClocks(0, 0, 0);
  });

  it('makes no tap one of the future', () => {
    expect(momentOf(Date.now() + 3_600_000)).toBeLessThanOrEqual(Date.now());
  });
});
