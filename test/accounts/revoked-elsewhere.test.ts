import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { configOf, databaseAt, freshUrl } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Wire } from '../support/proxy.js';
import { world } from '../support/world.js';

it('A session that is ended in one process is refused in another that does not hear it after five seconds, and where that cannot reach the database', async () => {
  const url = await freshUrl(inject('template').url);
  const proxy = await startProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.stop());
  const wires: Wire[] = [];
  proxy.whenever(
    ({ type, text }) => type === 'Q' && text.startsWith('listen'),
    (wire) => void wires.push(wire),
  );
  const here = await world({ database: await databaseAt(url) });
  const config = configOf({ REQUEST_TIMEOUT: '2000' });
  const there = await world({ database: await databaseAt(proxy.through(url)), config });
  const [listening] = await eventually(() => wires.length > 0 && wires);
  const [ana, ben] = [await here.newUser(), await here.newUser()];
  const statusOf = async (user: typeof ana) => (await there.rest.as(user.token).get('/api/tasks/me')).status;
  const becomes = (user: typeof ana, wanted: number) =>
    eventually(async () => (await statusOf(user)) === wanted);
  const signsOut = (user: typeof ana) => user.query('mutation { signOut { signedOutAt } }');

  const start = performance.now();
  const now = vi.spyOn(performance, 'now').mockReturnValue(start);
  onTestFinished(() => now.mockRestore());
  await becomes(ana, 200);
  listening?.stall();
  onTestFinished(() => listening?.resume()); // before all ends that it would hold up
  await signsOut(ana);
  expect(await statusOf(ana)).toBe(200);
  now.mockReturnValue(start + 5_001);
  expect(await statusOf(ana)).toBeOneOf([401, 503]); // on a busy machine, the look-up may take too long
  await becomes(ana, 401);

  now.mockRestore();
  await becomes(ben, 200);
  proxy.stall();
  await signsOut(ben);
  await becomes(ben, 503);
  await proxy.heal();
  await becomes(ben, 401);
});
