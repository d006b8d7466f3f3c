import type { WebSocket } from 'ws';

/** Who leaves more messages unread than this is not listening. */
const MAX_UNSENT = 1_000;

/**
 * Resolves when it has left this process, so that a subscription waits for a client that reads slowly. Who leaves
 * more than `maxUnread` bytes unread, and still asks for more, is not listening.
 */
export function sendingTo(socket: WebSocket, maxUnread: number): (message: string) => Promise<void> {
  let unsent = 0;
  return (message) => {
    if (socket.bufferedAmount > maxUnread || unsent > MAX_UNSENT) socket.terminate();
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
