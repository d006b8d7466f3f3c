import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { configOf, databaseAt, ownDatabase, urlOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type Wire } from '../support/proxy.js';
import { type TestUser, world } from '../support/world.js';

const SIGN_OUT = 'mutation { signOut { signedOutAt } }';

/** Ana, who is known to two processes on one database; what the second one is told comes through a proxy. */
async function twoProcesses(settings?: Record<string, string>) {
  const database = await ownDatabase();
  const url = urlOf(database);
  const proxy = await startProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.stop());
  let listening: Wire | undefined;
  proxy.whenever(
    ({ type, text }) => type === 'Q' && text.startsWith('listen'),
    (wire) => {
      listening = wire;
    },
  );
  const here = await world({ database });
  const there = await world({ database: await databaseAt(proxy.through(url)), config: configOf(settings) });
  await eventually(() => listening !== undefined);
  const ana: TestUser = await here.newUser();
  const statusThere = async () => (await there.rest.as(ana.token).get('/api/tasks/me')).status;
  return { ana, proxy, listening: listening as unknown as Wire, statusThere };
}

describe('A session that is ended in one process', () => {
  it('is refused in another whose listening connection says nothing, after five seconds', async () => {
    const { ana, listening, statusThere } = await twoProcesses();
    const start = performance.now();
    const now = vi.spyOn(performance, 'now').mockReturnValue(start);
    onTestFinished(() => now.mockRestore());
    expect(await statusThere()).toBe(200);
    listening.stall();
    onTestFinished(() => listening.resume()); // before all ends that it would hold up
    await ana.query(SIGN_OUT);
    expect(await statusThere()).toBe(200);
    now.mockReturnValue(start + 5_001);
    expect(await statusThere()).toBe(401);
  });

  it('is not accepted by another that cannot reach the database', async () => {
    const { ana, proxy, statusThere } = await twoProcesses({ REQUEST_TIMEOUT: '2000' });
    await eventually(async () => (await statusThere()) === 200);
    proxy.stall();
    await ana.query(SIGN_OUT);
    await eventually(async () => (await statusThere()) === 503);
    await proxy.heal();
    await eventually(async () => (await statusThere()) === 401);
  });
});
