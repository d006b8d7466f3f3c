import type { IncomingMessage } from 'node:http';
import { CloseCode, type WebSocket as Transport } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { isHeavy } from '../../http/body.js';
import { PIECE } from '../../http/receiving.js';

/** The message of graphql-ws for a message type that only a server sends. */
const UNEXPECTED = /Unexpected message of type/;

/** A socket as graphql-ws wants it. */
export function transportOf(socket: WebSocket, answerLimit: number, log: Logger): Transport {
  const fail = (error: unknown) => {
    if (socket.readyState !== socket.OPEN) return;
    if (UNEXPECTED.test(String(error))) return socket.close(CloseCode.BadRequest, 'Bad request');
    log.error({ err: error }, 'A message on a WebSocket could not be handled');
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  return {
    protocol: socket.protocol,
    send: sendingTo(socket, answerLimit),
    close: (code, reason) => socket.close(code, reason),
    onMessage: (receive) =>
      socket.on('message', (message: Buffer) => {
        if (isHeavy(message)) return socket.close(CloseCode.BadRequest, 'Too many values in one message');
        receive(parsed(message) as string).catch(fail);
      }),
  };
}

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
function parsed(message: Buffer): unknown {
  const text = String(message);
  try {
    return JSON.parse(text);
  } catch {
    return text; // graphql-ws refuses it
  }
}
