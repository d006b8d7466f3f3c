import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../packages/client/src/client.js';
import { faultyWayTo } from '../support/faulty-way.js';
import { worldOf } from '../support/world.js';

/** Somebody with a habit and two devices, each with a way of its own that can be cut. */
async function withDevices() {
  const { base, clock, ana } = await worldOf('ana');
  const taskId = String((await ana.hasTask()).id);
  const device = async () => {
    const way = await faultyWayTo(base);
    const steady = createClient({ url: way.base, token: ana.token, now: () => clock.now() });
    onTestFinished(() => steady.close());
    return { way, steady, tap: () => steady.complete(taskId, { once: true }) };
  };
  const count = async () => (await ana.rest.get('/api/tasks/me')).body[0].completion_count;
  return { clock, taskId, phone: await device(), desk: await device(), count };
}

const isSending = (body: string) => body.includes('completeTasks');

/** The next request that sends loses its answer. */
const losingAnAnswer = () => {
  let isLeft = true;
  return (body: string) => {
    if (!isLeft || !isSending(body)) return undefined;
    isLeft = false;
    return 'unanswered' as const;
  };
};

describe('A tap that counts once a day', () => {
  it('is one with that of another device, live and when both come back', async () => {
    const { phone, desk, count, clock } = await withDevices();
    const first = await phone.tap();
    expect(await desk.tap()).toMatchObject({ state: 'sent', completionId: first.completionId, once: true });
    expect(await count()).toBe(1);
    clock.advance({ days: 1 });
    for (const { way, tap } of [phone, desk]) {
      way.cut();
      expect(await tap()).toMatchObject({ state: 'waiting' });
      way.mend();
    }
    await Promise.all([phone.steady.queue.flush(), desk.steady.queue.flush()]);
    expect(await count()).toBe(2);
  });

  it('is not sent by clients that say nothing of it, whose taps count each', async () => {
    const { phone, taskId, count } = await withDevices();
    for (const once of [undefined, false]) await phone.steady.complete(taskId, { once });
    expect(phone.way.asked.filter(isSending).join()).not.toContain('"once"');
    expect(await count()).toBe(2);
  });

  it('counts in the day that waits as it will count', async () => {
    const { phone, taskId, clock } = await withDevices();
    await phone.steady.today();
    phone.way.cut();
    for (const _ of [1, 2]) await phone.tap();
    expect((await phone.steady.today()).habits).toMatchObject([{ count: 1, state: 'KEPT', waiting: 2 }]);
    clock.advance({ seconds: 1 });
    await phone.steady.complete(taskId);
    expect((await phone.steady.today()).habits).toMatchObject([{ count: 2, waiting: 3 }]);
    phone.way.mend();
    expect((await phone.steady.today()).habits).toMatchObject([{ count: 2, waiting: 0 }]);
  });

  it('is taken back with its day, whichever device has recorded that', async () => {
    const { phone, desk, count } = await withDevices();
    const first = await phone.tap();
    expect(await desk.steady.undo(await desk.tap())).toBe('undone');
    expect(await count()).toBe(0);
    expect(await phone.steady.undo(first)).toBe('undone'); // it is gone
    await desk.tap();
    expect(await count()).toBe(1);
    expect(await phone.steady.undo(first)).toBe('undone'); // what was recorded since is another one
    expect(await count()).toBe(1);
  });

  it.each([
    ['the other device leaves what that has done', 1],
    ['it, its answer being lost, takes back its own', 0],
  ])('that is taken back before anybody knows of %s', async (_what, counted) => {
    const { phone, desk, count } = await withDevices();
    if (counted) await desk.tap();
    phone.way.faults = losingAnAnswer();
    const tap = await phone.tap();
    expect([tap.state, await count()]).toEqual(['waiting', 1]);
    expect(await phone.steady.undo(tap)).toBe('undone');
    expect(phone.steady.queue).toMatchObject({ size: 0, refused: [] });
    expect(await count()).toBe(counted);
  });

  it('counts after one that was taken back, though nobody knew what had become of that', async () => {
    const { phone, count } = await withDevices();
    const { steady, way, tap } = phone;
    way.faults = losingAnAnswer();
    const first = await tap();
    way.cut();
    expect(await steady.undo(first)).toBe('waiting');
    await tap();
    way.mend();
    await steady.queue.flush();
    expect(steady.queue.size).toBe(0);
    expect(await count()).toBe(1);
  });
});
