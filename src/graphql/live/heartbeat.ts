import type { WebSocket } from 'ws';

/**
 * Heartbeat: terminates a client that answers no ping within `interval` milliseconds, because it is gone or does not
 * read. Returns a function that stops it.
 */
export function startHeartbeat(socket: WebSocket, interval: number): () => void {
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
