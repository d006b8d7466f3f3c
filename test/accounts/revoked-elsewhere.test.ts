import { beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { configOf, databaseAt, freshUrl } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProxy, type TcpProxy, type Wire } from '../support/proxy.js';
import { type TestUser, type World, world } from '../support/world.js';

const SIGN_OUT = 'mutation { signOut { signedOutAt } }';

describe('A session that is ended in one process', () => {
  let proxy: TcpProxy;
  let listening: Wire;
  let here: World;
  let there: World;

  beforeEach(async () => {
    const url = await freshUrl(inject('template').url);
    proxy = await startProxy(Number(new URL(url).port));
    onTestFinished(() => proxy.stop());
    proxy.whenever(
      ({ type, text }) => type === 'Q' && text.startsWith('listen'),
      (wire) => {
        listening = wire;
      },
    );
    here = await world({ database: await databaseAt(url) });
    const config = configOf({ REQUEST_TIMEOUT: '2000' });
    there = await world({ database: await databaseAt(proxy.through(url)), config });
    await eventually(() => listening !== undefined);
  });

  const statusThere = async ({ token }: TestUser) => (await there.rest.as(token).get('/api/tasks/me')).status;

  it('is refused in another whose listening connection says nothing, after five seconds', async () => {
    const ana = await here.newUser();
    expect(await statusThere(ana)).toBe(200);
    listening.stall();
    onTestFinished(() => listening.resume()); // before all ends that it would hold up
    await ana.query(SIGN_OUT);
    expect(await statusThere(ana)).toBe(200);
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    now.mockReturnValue(performance.now() + 5_001);
    expect(await statusThere(ana)).toBe(401);
  });

  it('is not accepted by another that cannot reach the database', async () => {
    const ana = await here.newUser();
    expect(await statusThere(ana)).toBe(200);
    proxy.stall();
    await ana.query(SIGN_OUT);
    await eventually(async () => (await statusThere(ana)) === 503);
    await proxy.heal();
    await eventually(async () => (await statusThere(ana)) === 401);
  });
});
