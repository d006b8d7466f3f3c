import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { PIECE } from '../../http/receiving.js';

/** In bytes: the size of unfinished messages. It reads internals of `ws`, which has no API for it. */
export function heldBy(socket: WebSocket): number {
  const { _receiver: receiver } = socket as unknown as { _receiver: Received | null };
  if (!receiver) return 0;
  const { _bufferedBytes, _buffers, _messageLength, _fragments } = receiver;
  return _bufferedBytes + _messageLength + (_buffers.length + _fragments.length) * PIECE;
}

/** Calls `hold` with the size of unfinished messages whenever it changes. */
export function countHeld(socket: WebSocket, request: IncomingMessage, hold: (bytes: number) => void): void {
  request.socket.on('data', () => hold(heldBy(socket)));
  socket.on('message', () => hold(heldBy(socket)));
  socket.once('close', () => hold(0));
}

interface Received {
  /** The current frame. */
  _bufferedBytes: number;
  _buffers: Buffer[];
  /** The complete frames of the current message. */
  _messageLength: number;
  _fragments: Buffer[];
}

/**
 * Parses the message here: graphql-ws accepts an object too and keeps it as long as the operation, so that parts of
 * it can be dropped.
 */
export function parsed(message: Buffer): unknown {
  const text = String(message);
  try {
    return JSON.parse(text);
  } catch {
    return text; // graphql-ws refuses it
  }
}
