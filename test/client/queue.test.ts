import { describe, expect, it, onTestFinished } from 'vitest';
import { type ClientOptions, createClient } from '../../packages/client/src/client.js';
import { memoryStorage } from '../../packages/client/src/storage.js';
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

  it('waits without a network, never throws, is sent by itself later, and counts for its own moment', async () => {
    const { ana, clock, steady, taskId, way } = await swimmer();
    way.cut();
    expect((await steady.complete(taskId)).state).toBe('waiting');
    expect(steady.queue).toMatchObject({ size: 1, error: { reason: 'NO_ANSWER' } });
    clock.advance({ days: 1 });
    way.mend();
    await eventually(async () => steady.queue.size === 0);
    expect(steady.queue.error).toBeNull();
    expect(await doneBy(ana)).toMatchObject([{ completedAt: '2026-11-21T12:00:00.000Z' }]);
  });

  it('with a key of its own counts once, also when it is made twice', async () => {
    const { ana, steady, taskId } = await swimmer();
    await Promise.all([steady.complete(taskId, { key: 'k' }), steady.complete(taskId, { key: 'k' })]);
    await steady.complete(taskId, { key: 'k' });
    expect(await doneBy(ana)).toHaveLength(1);
  });

  it.each([
    ['is slow, and nothing of the past is taken', '2026-11-21T11:59:30Z', { BACKDATE_HOURS: '0' }],
    ['is years ahead', '2030-01-01T00:00:00Z', {}],
  ])('counts when it arrives where the clock of the device %s', async (_how, now, set) => {
    const config = configOf(set);
    const { ana, steady, taskId } = await swimmer({ now: () => Date.parse(now) }, { config });
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
  it('takes out what waits, which is never sent, and forgets what was refused', async () => {
    const { steady, taskId, way } = await swimmer();
    way.cut();
    const tap = await steady.complete(taskId);
    expect([await steady.undo(tap), steady.queue.size]).toEqual(['undone', 0]);
    way.mend();
    await steady.queue.flush();
    expect(way.asked.filter(isSending)).toEqual([]);
    way.cut();
    const old = await steady.complete(taskId, { at: '2026-11-01T12:00:00Z' });
    way.mend();
    await steady.queue.flush();
    expect(steady.queue.refused).toHaveLength(1);
    expect([await steady.undo(old), steady.queue.refused]).toEqual(['undone', []]);
  });

  it('of what was sent waits without a network, and is done if that was undone elsewhere', async () => {
    const { ana, steady, taskId, way } = await swimmer();
    const [tap, other] = [await steady.complete(taskId), await steady.complete(taskId)];
    way.cut();
    expect([await steady.undo(tap), steady.queue.size]).toEqual(['waiting', 1]);
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    await ana.query(`mutation { undoCompletion(id: "${other.completionId}") { completionId } }`);
    expect(await steady.undo(other)).toBe('undone');
    expect(await doneBy(ana)).toEqual([]);
  });

  it('works by the tap alone, in another process that sent nothing', async () => {
    const { ana, steady, taskId, way, connect } = await swimmer({ storage: memoryStorage() });
    way.cut();
    const tap = await steady.complete(taskId, { amount: 2 });
    way.mend();
    await steady.queue.flush();
    expect(await doneBy(ana)).toHaveLength(1);
    expect(await connect().undo(tap)).toBe('undone');
    expect(await doneBy(ana)).toEqual([]);
  });
});

describe('What waits', () => {
  it('waits for whoever it is of, and for a token that is valid', async () => {
    const { ana, connect, newUser, steady, taskId, way } = await swimmer({ storage: memoryStorage() });
    await steady.complete(taskId);
    way.cut();
    await steady.complete(taskId);
    way.mend();
    for (const [token, reason] of [
      [null, 'TOKEN_MISSING'],
      ['none-of-ours', 'TOKEN_INVALID'],
    ] as const) {
      steady.token = token;
      expect([await steady.queue.flush(), steady.queue.error?.reason]).toEqual([1, reason]);
    }
    const bob = await newUser();
    expect(await connect({ token: bob.token }).queue.flush()).toBe(0);
    expect(await doneBy(ana)).toHaveLength(1);
    await steady.logIn({ email: ana.account.email, password: ana.account.password });
    expect(await steady.queue.flush()).toBe(0);
    expect(await doneBy(ana)).toHaveLength(2);
  });

  it('goes on waiting when somebody else logs in while it is sent', async () => {
    const { ana, newUser, steady, taskId, way } = await swimmer();
    const tap = await steady.complete(taskId);
    way.cut();
    await steady.undo(tap);
    for (let made = 0; made < 25; made += 1) await steady.complete(taskId); // more than are sent at once
    const bob = await newUser();
    for (const turn of [isSending, isUndoing]) {
      way.faults = (body) => {
        if (turn(body)) steady.token = bob.token;
        return undefined;
      };
      await steady.queue.flush();
      steady.token = ana.token;
    }
    expect(steady.queue.refused).toEqual([]);
    way.mend();
    expect(await steady.queue.flush()).toBe(0);
    expect(await ana.profile()).toMatchObject({ points: 250 });
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
    expect(await steady.undo(await steady.complete(taskId))).toBe('undone');
    expect(await doneBy(ana)).toHaveLength(1);
  });
});

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
    const set = async (key: string, value: string) => {
      await shared.set(key, value);
      if (!key.startsWith('sending:') || !(await shared.get(`undo:${tap.key}`)) || found.length > 0) return;
      const before = asked();
      other.token = ana.token;
      await other.queue.flush();
      found.push({ asked: asked() - before, size: other.queue.size });
    };
    const one = connect({ storage: { ...shared, set } });
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

  it('keep no other tap waiting for what the service fails at', async () => {
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
