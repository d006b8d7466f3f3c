import type { WebSocket } from 'ws';
import { PIECE } from '../../http/receiving.js';

/** In bytes, of messages that have not come to their end: an inside of `ws`, which tells nobody. */
export function heldBy(socket: WebSocket): number {
  const { _receiver: receiver } = socket as unknown as { _receiver: Received | null };
  if (!receiver) return 0;
  const { _bufferedBytes, _buffers, _messageLength, _fragments } = receiver;
  return _bufferedBytes + _messageLength + (_buffers.length + _fragments.length) * PIECE;
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
