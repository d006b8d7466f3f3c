import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { PIECE } from '../../http/receiving.js';

/** In bytes, of messages that have not come to their end: an inside of `ws`, which tells nobody. */
export function heldBy(socket: WebSocket): number {
  const { _receiver: receiver } = socket as unknown as { _receiver: Received | null };
  if (!receiver) return 0;
  const { _bufferedBytes, _buffers, _messageLength, _fragments } = receiver;
  return _bufferedBytes + _messageLength + (_buffers.length + _fragments.length) * PIECE;
}

/** Calls `hold` with what a WebSocket holds of unfinished messages, whenever that changes. */
export function countHeld(socket: WebSocket, request: IncomingMessage, hold: (bytes: number) => void): void {
  request.socket.on('data', () => hold(heldBy(socket)));
  socket.on('message', () => hold(heldBy(socket)));
  socket.once('close', () => hold(0));
}

interface Received {
  /** Of a frame. */
  _bufferedBytes: number;
  _buffers: Buffer[];
  /** Of whole frames of one message. */
  _messageLength: number;
  _fragments: Buffer[];
}

/** As an object, of which parts can be forgotten: graphql-ws takes either, and keeps it while an operation lasts. */
export function parsed(message: Buffer): unknown {
  const text = String(message);
  try {
    return JSON.parse(text);
  } catch {
    return text; // which is refused for what it is
  }
}
