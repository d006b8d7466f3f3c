/// <reference types="vite/client" />
import { beforeAll, expect, it, vi } from 'vitest';

vi.hoisted(() => vi.stubGlobal('location', new URL('http://localhost/')));

const { follow } = await import('../../src/page/client/live.js');

let connections = 0;

/** Accepts each connection, and refuses what is subscribed to. */
class RefusingSocket {
  static readonly OPEN = 1;
  readyState = 1;
  onopen = () => {};
  onmessage = (_event: { data: string }) => {};
  onclose = () => {};

  constructor() {
    connections += 1;
    queueMicrotask(() => this.onopen());
  }

  send(text: string): void {
    const { type } = JSON.parse(text);
    const answer = type === 'connection_init' ? { type: 'connection_ack' } : { type: 'error', payload: [] };
    queueMicrotask(() => this.onmessage({ data: JSON.stringify(answer) }));
  }

  close(): void {}
}

beforeAll(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', RefusingSocket);
  return () => {
    vi.useRealTimers(); // other files run in this process
    vi.unstubAllGlobals();
  };
});

it('A connection on which nothing can be followed is tried again after longer and longer pauses', async () => {
  const live = follow({
    token: 't',
    variables: () => ({}),
    connected: () => {},
    changed: () => {},
    refused: () => {},
  });
  await vi.advanceTimersByTimeAsync(120_000);
  live.stop();
  expect(connections).toBeGreaterThan(8);
  expect(connections).toBeLessThan(25); // with the shortest pause each time they were 240 and more
});
