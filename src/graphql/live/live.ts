import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Operations } from '../operations.js';
import { EventStreams } from './event-stream.js';
import type { LiveSettings } from './settings.js';
import { WebSockets } from './websocket.js';

/** The transports on which an operation may have several results. */
export interface Live {
  eventStream: RequestHandler;
  attach(server: Server): void;
  /** The open operations, by transport. */
  operations(): { websocket: number; event_stream: number };
  /** Notifies every client, and ends every subscription. */
  close(): Promise<void>;
}

export function liveOn(operations: Operations, settings: LiveSettings): Live {
  const streams = new EventStreams(operations, settings);
  const sockets = new WebSockets(operations, settings);
  return {
    eventStream: streams.handler,
    attach: (server) => sockets.attach(server),
    operations: () => ({ websocket: sockets.underWay, event_stream: streams.underWay }),
    close: async () => {
      await Promise.all([streams.close(), sockets.close()]);
    },
  };
}
