import type { WebSocket } from 'ws';

/** Who leaves more bytes unread than this, or more messages, is not listening. */
const MAX_UNREAD = 4 * 1_024 * 1_024;
const MAX_UNSENT = 1_000;

/** Resolves when it has left this process, so that a subscription waits for a client that reads slowly. */
export function sendingTo(socket: WebSocket): (message: string) => Promise<void> {
  let unsent = 0;
  return (message) => {
    if (socket.bufferedAmount > MAX_UNREAD || unsent > MAX_UNSENT) socket.terminate();
    return new Promise((resolve, reject) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      unsent += 1;
      socket.send(message, (error) => {
        unsent -= 1;
        if (error) reject(error);
        else resolve();
      });
    });
  };
}
