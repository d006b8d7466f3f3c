import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientOptions, createClient } from '../../packages/client/src/client.js';
import { type ClientStorage, memoryStorage } from '../../packages/client/src/storage.js';
import { configOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { type TestUser, world } from '../support/world.js';

/** Somebody with a habit, whose client reaches the service on a way that can be cut. */
async function swimmer(options: Partial<ClientOptions> = {}, given?: Parameters<typeof world>[0]) {
  const { base, clock, newUser } = await world(given);
  const ana = await newUser();
  const way = await faultyWayTo(base);
  const task = await ana.hasTask({ points: 10 });
  const connect = (more: Partial<ClientOptions> = {}) => {
    const all = { url: way.base, token: ana.token, now: () => clock.now(), ...options, ...more };
    const client = createClient(all);
    onTestFinished(() => client.close());
    return client;
  };
  return { ana, base, clock, newUser, way, task, taskId: String(task.id), connect, steady: connect() };
}

const doneBy = async (user: TestUser) => {
  const { completions } = await user.query(
    '{ completions { nodes { completedAt amount note task { id } } } }',
  );
  return completions.nodes as { completedAt: string; amount: number | null; note: string | null }[];
};

const isSending = (body: string) => body.includes('completeTasks');
const isUndoing = (body: string) => body.includes('undoCompletion');

/** With the key k. */
const waitingTap = (taskId: string) => ({
  ...{ key: 'k', taskId, state: 'waiting' as const, completionId: null },
  ...{ amount: null, note: null, at: '2026-11-21T12:00:00.000Z' },
});

/** Of the first that sends. */
const answerLost = () => {
  let isLeft = true;
  return (body: string) => {
    if (!isLeft || !isSending(body)) return undefined;
    isLeft = false;
    return 'unanswered' as const;
  };
};

describe('A tap', () => {
  it('is sent at once, with what belongs to it', async () => {
    const { ana, steady, taskId } = await swimmer();
    const tap = await steady.complete(taskId, { note: 'cold' });
    expect(tap).toMatchObject({ state: 'sent', taskId, completionId: expect.any(String) });
    expect(await doneBy(ana)).toEqual([
      { completedAt: '2026-11-21T12:00:00.000Z', amount: null, note: 'cold', task: { id: taskId } },
    ]);
    expect(steady.queue.size).toBe(0);
  });

  it('waits without a network, never throws, and counts for its own moment', async () => {
    const { ana, clock, steady, taskId, way } = await swimmer();
    way.cut();
    const tap = await steady.complete(taskId);
    expect(tap.state).toBe('waiting');
    expect(steady.queue).toMatchObject({ size: 1, error: { reason: 'NO_ANSWER' } });
    clock.advance({ days: 1 });
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(steady.queue.error).toBeNull();
    expect(await doneBy(ana)).toMatchObject([{ completedAt: '2026-11-21T12:00:00.000Z' }]);
  });

  it('is sent by itself, once there is a network', async () => {
    const { ana, steady, taskId, way } = await swimmer();
    way.cut();
    await steady.complete(taskId);
    way.mend();
    await eventually(async () => (await doneBy(ana)).length === 1);
  });

  it('is read no more often when many wait with it', async () => {
    const here = await swimmer();
    const readsWith = async (count: number) => {
      const storage = memoryStorage();
      here.way.cut();
      const offline = here.connect({ storage });
      for (let made = 0; made < count; made += 1) await offline.complete(here.taskId);
      offline.close();
      here.way.mend();
      let reads = 0;
      const get = (key: string) => {
        if (key.startsWith('tap:')) reads += 1;
        return storage.get(key);
      };
      const { queue } = here.connect({ storage: { ...storage, get } });
      await queue.flush();
      expect(queue.size).toBe(0);
      return reads / count;
    };
    expect(await readsWith(70)).toBe(await readsWith(10));
    expect(await here.ana.profile()).toMatchObject({ points: 800 }); // more than can be sent at once
  });

  it('with a key of its own counts once, also when it is made twice', async () => {
    const { ana, steady, taskId } = await swimmer();
    await Promise.all([steady.complete(taskId, { key: 'k' }), steady.complete(taskId, { key: 'k' })]);
    await steady.complete(taskId, { key: 'k' });
    expect(await ana.profile()).toMatchObject({ points: 10 });
  });

  it('that has just been made counts when it arrives, where nothing of the past is taken', async () => {
    const config = configOf({ BACKDATE_HOURS: '0' });
    const late = () => Date.parse('2026-11-21T11:59:30Z');
    const { ana, steady, taskId } = await swimmer({ now: late }, { config });
    expect(await steady.complete(taskId)).toMatchObject({ state: 'sent' });
    expect(await doneBy(ana)).toHaveLength(1);
  });

  it('counts now where the clocks of device and service do not agree', async () => {
    const { ana, steady, taskId } = await swimmer({ now: () => Date.parse('2030-01-01T00:00:00Z') });
    expect(await steady.complete(taskId)).toMatchObject({ state: 'sent' });
    expect(await doneBy(ana)).toMatchObject([{ completedAt: '2026-11-21T12:00:00.000Z' }]);
  });
});

describe('A tap that is refused', () => {
  it('is told to who waits for it, and kept to be dismissed or counted for now', async () => {
    const { ana, steady, taskId } = await swimmer();
    const at = '2026-11-01T12:00:00Z';
    const tooLate = expect.objectContaining({ reason: 'TOO_LONG_AGO' });
    await expect(steady.complete(taskId, { at, key: 'old' })).rejects.toEqual(tooLate);
    expect(steady.queue).toMatchObject({ size: 0, refused: [{ key: 'old', taskId, action: 'complete' }] });
    await steady.queue.again('old');
    expect(steady.queue).toMatchObject({ size: 0, refused: [] });
    expect(await doneBy(ana)).toHaveLength(1);
    await expect(steady.complete('999999999')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    await steady.queue.dismiss(steady.queue.refused[0]?.key ?? '');
    await expect(steady.complete(taskId, { amount: Number.NaN })).rejects.toThrow(RangeError);
    expect(steady.queue).toMatchObject({ size: 0, refused: [] });
  });

  it('holds up no other, even if the service cannot read it', async () => {
    const { ana, steady, taskId, way } = await swimmer();
    way.cut();
    const done = [
      [taskId],
      ['no id'],
      [taskId, { note: 'x'.repeat(300_000) }],
      [taskId],
      ['999999999'],
    ] as const;
    const taps = await Promise.all(done.map(([id, how]) => steady.complete(id, how)));
    expect(taps.map(({ state }) => state)).toEqual(Array(5).fill('waiting'));
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(steady.queue.refused.map((each) => each.taskId).sort()).toEqual([taskId, '999999999', 'no id']);
    expect(await ana.profile()).toMatchObject({ points: 20 });
  });
});

describe('An undo', () => {
  it('takes out what waits: it is never sent', async () => {
    const { steady, taskId, way } = await swimmer();
    way.cut();
    const tap = await steady.complete(taskId);
    expect(await steady.undo(tap)).toBe('undone');
    expect(steady.queue.size).toBe(0);
    way.mend();
    await steady.queue.flush();
    expect(way.asked.filter(isSending)).toEqual([]);
  });

  it('of what was sent waits without a network', async () => {
    const { ana, steady, taskId, way } = await swimmer();
    const tap = await steady.complete(taskId);
    way.cut();
    expect(await steady.undo(tap)).toBe('waiting');
    expect(steady.queue.size).toBe(1);
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(await doneBy(ana)).toEqual([]);
  });

  it('of one that was undone elsewhere is done', async () => {
    const { ana, steady, taskId } = await swimmer();
    const tap = await steady.complete(taskId);
    await ana.query(`mutation { undoCompletion(id: "${tap.completionId}") { completionId } }`);
    expect(await steady.undo(tap)).toBe('undone');
    expect(await doneBy(ana)).toEqual([]);
  });

  it('works by the tap alone, in another process that sent nothing', async () => {
    const storage = memoryStorage();
    const { ana, steady, taskId, way, connect } = await swimmer({ storage });
    way.cut();
    const tap = await steady.complete(taskId, { amount: 2 });
    way.mend();
    await steady.queue.flush();
    expect(await doneBy(ana)).toHaveLength(1);
    expect(await connect().undo(tap)).toBe('undone');
    expect(await doneBy(ana)).toEqual([]);
  });

  it('of what was refused forgets it', async () => {
    const { steady, taskId, way } = await swimmer();
    way.cut();
    const tap = await steady.complete(taskId, { at: '2026-11-01T12:00:00Z' });
    way.mend();
    await steady.queue.flush();
    expect(steady.queue.refused).toHaveLength(1);
    expect(await steady.undo(tap)).toBe('undone');
    expect(steady.queue.refused).toEqual([]);
  });
});

describe('What waits', () => {
  it('waits for whoever it is of, and for a token that is valid', async () => {
    const storage = memoryStorage();
    const { ana, connect, newUser, steady, taskId, way } = await swimmer({ storage });
    await steady.complete(taskId);
    way.cut();
    await steady.complete(taskId);
    steady.token = null;
    way.mend();
    expect(await steady.queue.flush()).toBe(1);
    expect(steady.queue.error).toMatchObject({ reason: 'TOKEN_MISSING' });
    const bob = await newUser();
    const other = connect({ token: bob.token });
    expect(await other.queue.flush()).toBe(0);
    expect(await doneBy(ana)).toHaveLength(1);
    await steady.logIn({ email: ana.account.email, password: ana.account.password });
    expect(await steady.queue.flush()).toBe(0);
    expect(await doneBy(ana)).toHaveLength(2);
  });

  it('goes on waiting when somebody else logs in while it is sent', async () => {
    const { ana, newUser, steady, taskId, way } = await swimmer();
    const taps = await Promise.all(Array.from({ length: 2 }, () => steady.complete(taskId)));
    way.cut();
    for (const tap of taps) await steady.undo(tap);
    for (let made = 0; made < 30; made += 1) await steady.complete(taskId);
    const bob = await newUser();
    const tokensIn = (turn: (body: string) => boolean) => {
      way.faults = (body) => {
        if (turn(body)) steady.token = bob.token;
        return undefined;
      };
      return steady.queue.flush();
    };
    await tokensIn(isSending);
    expect(steady.queue.refused).toEqual([]);
    steady.token = ana.token;
    await tokensIn(isUndoing);
    steady.token = ana.token;
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(await ana.profile()).toMatchObject({ points: 300 });
  });

  it('goes on waiting when the token has ended', async () => {
    const { connect, taskId } = await swimmer();
    const steady = connect({ token: 'none-of-ours' });
    expect(await steady.complete(taskId)).toMatchObject({ state: 'waiting' });
    expect(steady.queue).toMatchObject({ size: 1, error: { reason: 'TOKEN_INVALID' } });
  });

  it('is sent with an API token that may complete, and nothing else', async () => {
    const { ana, connect, taskId, way } = await swimmer();
    const made = await ana.query(
      'mutation { createApiToken(input: { name: "Button", scopes: [COMPLETIONS] }) { token } }',
    );
    const steady = connect({ token: made.createApiToken.token });
    way.faults = answerLost();
    await steady.complete(taskId);
    expect(await steady.queue.flush()).toBe(0);
    const tap = await steady.complete(taskId);
    expect(tap.state).toBe('sent');
    expect(await steady.undo(tap)).toBe('undone');
    expect(await doneBy(ana)).toHaveLength(1);
  });
});

/** The storage as one client has it, who pauses when it has said that it sends, once `begin` is there. */
function pausing(shared: ClientStorage, begin: string, pause: () => Promise<unknown>): ClientStorage {
  let isLeft = true;
  return {
    ...shared,
    set: async (key, value) => {
      const isPause = isLeft && key.startsWith('sending:') && Boolean(await shared.get(begin));
      if (isPause) isLeft = false;
      await shared.set(key, value);
      if (isPause) await pause();
    },
  };
}

describe('Two clients of one storage', () => {
  it('do not take back the same at the same time: a second one would send it anew', async () => {
    const shared = memoryStorage();
    const { ana, connect, steady, taskId, way } = await swimmer({ storage: shared });
    way.faults = answerLost();
    const tap = await steady.complete(taskId);
    steady.close();
    way.cut();
    const asked = () => way.asked.filter((body) => isSending(body) || isUndoing(body)).length;
    const other = connect({ token: null }); // sends nothing by itself
    const found: unknown[] = [];
    const meanwhile = async () => {
      const before = asked();
      other.token = ana.token;
      await other.queue.flush();
      found.push({ asked: asked() - before, size: other.queue.size });
    };
    const one = connect({ storage: pausing(shared, `undo:${tap.key}`, meanwhile) });
    await one.queue.flush();
    way.mend();
    expect(await one.undo(tap)).toBe('undone');
    expect(found).toEqual([{ asked: 0, size: 1 }]);
    expect(await doneBy(ana)).toEqual([]);
  });

  it('do not take what was just counted for what was never sent', async () => {
    const shared = memoryStorage();
    const { ana, connect, taskId, way } = await swimmer();
    const tap = waitingTap(taskId);
    const [looks, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const one = connect({
      storage: {
        ...shared,
        keys: async (prefix) => {
          if (prefix === 'sending:') {
            looks.resolve();
            await isOver.promise; // the other has counted it by then, and forgotten all of it
          }
          return shared.keys(prefix);
        },
      },
    });
    let undoing: Promise<string> | undefined;
    const other = connect({
      storage: {
        ...shared,
        delete: async (key) => {
          if (key === 'tap:k') {
            undoing ??= one.undo(tap);
            await looks.promise;
          }
          await shared.delete(key);
          if (!key.startsWith('sending:')) return;
          isOver.resolve();
          await new Promise(() => {}); // it is killed
        },
      },
    });
    void other.complete(taskId, { key: 'k' });
    await isOver.promise;
    await undoing;
    await eventually(async () => (await one.queue.flush()) === 0);
    expect(await doneBy(ana)).toEqual([]);
    expect(way.asked.filter(isUndoing)).toHaveLength(1);
  });

  it('waits for no client that is gone, whose clock was far ahead', async () => {
    const storage = memoryStorage();
    const { ana, connect, taskId, way } = await swimmer();
    way.cut();
    await connect({ storage }).complete(taskId, { key: 'k' });
    for (const name of await storage.keys('sending:')) await storage.delete(name);
    const until = Date.now() + 400 * 86_400_000;
    await storage.set('sending:gone', JSON.stringify({ until, keys: ['k'] }));
    way.mend();
    expect(await connect({ storage }).undo(waitingTap(taskId))).toBe('undone');
    expect(await doneBy(ana)).toEqual([]);
    expect(await storage.keys('sending:')).toEqual([]);
  });

  it('that the service fails at keeps no other tap waiting', async () => {
    const { ana, steady, taskId, way } = await swimmer();
    const { id: other } = await ana.hasTask();
    const tap = await steady.complete(taskId);
    way.faults = (body) => (isUndoing(body) ? 'failed' : undefined);
    expect(await steady.undo(tap)).toBe('waiting');
    expect(await steady.complete(String(other))).toMatchObject({ state: 'sent' });
    expect(steady.queue).toMatchObject({ size: 1, error: { reason: 'INTERNAL' } });
    // It would find what is still to be taken back.
    expect(await steady.complete(taskId, { once: true })).toMatchObject({ state: 'waiting' });
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(await doneBy(ana)).toHaveLength(2);
    expect(steady.queue.error).toBe(null);
  });
});
