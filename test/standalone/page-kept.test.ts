/// <reference types="vite/client" />
import { expect, it, vi } from 'vitest';

vi.hoisted(() => vi.stubGlobal('location', new URL('http://localhost/')));

vi.resetModules(); // its state lasts as long as a window
const kept = await import('../../src/page/client/kept.js');

const tap = {
  ...{ key: 'one', userId: 'ana', taskId: '1', title: 'Swim', at: 1 },
  ...{ isSent: false, isUndone: false, countsOnArrival: false, refusal: null },
};

it('Where the browser keeps nothing, taps wait in the window, and say so', async () => {
  const open = vi.fn(() => {
    throw new DOMException('Storage is full', 'QuotaExceededError');
  });
  vi.stubGlobal('indexedDB', { open });
  await kept.keepTap(tap);
  expect([open.mock.calls.length, kept.isOnDevice()]).toEqual([3, false]); // twice, and to read what is there
  expect(await kept.tapsOf('bea')).toEqual([]);
  expect(await kept.takeTaps('ana', 20)).toEqual([{ ...tap, isSent: true }]);
  expect(await kept.changeTap('one', (found) => ({ ...found, isUndone: true }))).toBe(true);
  expect(await kept.tapsOf('ana')).toEqual([{ ...tap, isSent: true, isUndone: true }]);
  expect(await kept.changeTap('one', () => null)).toBe(true);
  expect(await kept.changeTap('one', () => null)).toBe(false);
});
