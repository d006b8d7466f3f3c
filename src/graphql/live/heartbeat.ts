import type { WebSocket } from 'ws';

/**
 * A client that has gone without a word, or reads nothing, answers no pings: within one `interval`, in
 * milliseconds, it is cut off. Answers how to stop.
 */
export function beat(socket: WebSocket, interval: number): () => void {
  let isAlive = true;
  socket.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, interval / 2);
  return () => clearInterval(timer);
}
