import { expect, it, onTestFinished } from 'vitest';
import { listenOnServer } from '../../src/database/server/listen.js';
import { ownDatabase, urlOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';

it('Listening can be ended while it is being restored', async () => {
  const url = urlOf(await ownDatabase());
  const proxy = await startProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.stop());
  const heard: string[] = [];
  const receiver = {
    receive: () => {},
    lost: () => heard.push('lost'),
    reconnected: () => heard.push('again'),
  };
  const stop = await listenOnServer(proxy.through(url))(receiver);

  const [first] = proxy.wires;
  proxy.stall();
  proxy.reset();
  await eventually(() => [...proxy.wires].some((wire) => wire !== first));
  const stopped = stop();
  await proxy.heal();
  await stopped;
  expect(heard).toEqual(['lost']);
});
