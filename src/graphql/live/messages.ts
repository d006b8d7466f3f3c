import type { WebSocket } from 'ws';
import type { Refusal } from '../../base/errors.js';
import { isLargeBody, parsedFairly } from '../../http/body.js';

/** Of the protocol of WebSockets. */
export const TRY_AGAIN_LATER = 1013;

/** A client that leaves more messages unread than this is cut off. */
const MAX_UNSENT = 1_000;

/** Messages are parsed one after the other; large ones take turns with the bodies of requests. */
export function inOrder(socket: WebSocket, owner: () => string, take: (message: unknown) => void): void {
  let last = Promise.resolve();
  const isOpen = () => socket.readyState === socket.OPEN;
  const parse = (message: Buffer) => {
    if (isOpen()) take(parsed(message));
  };
  socket.on('message', (message: Buffer) => {
    if (isLargeBody(message.length)) socket.pause(); // what has arrived with it waits, too
    const parseFairly = () => {
      if (isOpen()) return parsedFairly(message.length, owner(), () => parse(message));
    };
    const mine = last
      .then(parseFairly)
      .catch(({ message }: Refusal) => socket.close(TRY_AGAIN_LATER, message));
    last = mine;
    void mine.then(() => last === mine && socket.resume());
  });
}

function parsed(message: Buffer): unknown {
  try {
    return JSON.parse(String(message));
  } catch {
    return undefined;
  }
}

/**
 * Back-pressure: resolves when the message has left this process, so that a subscription waits for a slow client. A
 * client that leaves more than `maxUnread` bytes unread and still gets more is cut off.
 */
export function sendingTo(socket: WebSocket, maxUnread: () => number): (message: string) => Promise<void> {
  let unsent = 0;
  return (message) => {
    if (socket.bufferedAmount > maxUnread() || unsent > MAX_UNSENT) socket.terminate();
    return new Promise((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      unsent += 1;
      socket.send(message, () => {
        unsent -= 1;
        resolve();
      });
    });
  };
}

/** Terminates a client that answers no ping within `interval` milliseconds. */
export function startHeartbeat(socket: WebSocket, interval: number): void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, interval / 2);
  socket.once('close', () => clearInterval(timer));
}
