import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { sendingTo } from '../../src/graphql/live/messages.js';

/** The server's side of a WebSocket whose client reads nothing. */
async function deafClient(): Promise<WebSocket> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => {});
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const [socket] = await once(server, 'connection');
  if (client.readyState !== client.OPEN) await once(client, 'open');
  client.pause();
  return socket;
}

it.each([
  ['small', 'x'.repeat(250), 500_000],
  ['large', 'x'.repeat(1_000_000), 6_000_000],
])(
  'A WebSocket whose client leaves %s messages unread is cut off before they take much memory',
  async (_size, message, most) => {
    const socket = await deafClient();
    const send = sendingTo(socket, () => 4_000_000);
    let unsent = 0;
    while (socket.readyState === socket.OPEN) {
      for (let count = 0; count < 100 && socket.readyState === socket.OPEN; count += 1) {
        unsent = socket.bufferedAmount;
        send(message).catch(() => {});
      }
      await new Promise(setImmediate);
    }
    expect(unsent).toBeLessThan(most);
  },
);
