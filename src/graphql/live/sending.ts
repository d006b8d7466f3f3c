import type { WebSocket } from 'ws';

/** A client that leaves more messages unread than this is cut off. */
const MAX_UNSENT = 1_000;

/**
 * Back-pressure: resolves when the message has left this process, so that a subscription waits for a slow client. A
 * client that leaves more than `maxUnread` bytes unread and still gets more is cut off.
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
