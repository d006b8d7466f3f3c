import { CloseCode, type WebSocket as Transport } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import { isHeavy } from '../../http/json-weight.js';
import { parsed } from './messages.js';
import { sendingTo } from './sending.js';

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
