import type { Server } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { type GraphqlRoutes, graphqlRoutes } from './http.js';
import { EventStreams } from './live/event-stream.js';
import { Pipeline } from './live/pipeline.js';
import { WebSockets } from './live/websocket.js';
import { Operations } from './operations.js';
import { graphqlServer } from './server.js';
import type { GraphqlSettings } from './settings.js';

/** The transports on which an operation may have several results. */
export interface Live {
  attach(server: Server): void;
  /** The open operations, by transport. */
  operations(): { websocket: number; event_stream: number };
  /** Notifies every client, and ends every subscription. */
  close(): Promise<void>;
}

/** The GraphQL API on all its transports. */
export interface Graphql extends GraphqlRoutes {
  live: Live;
  stop(): Promise<void>;
}

export async function graphqlOn(schema: GraphQLSchema, settings: GraphqlSettings): Promise<Graphql> {
  const operations = new Operations(schema, settings);
  const apollo = await graphqlServer(schema, operations, settings);
  const pipeline = new Pipeline(operations, settings);
  const streams = new EventStreams(pipeline, settings);
  const sockets = new WebSockets(pipeline, settings);
  const live = {
    attach: (server: Server) => sockets.attach(server),
    operations: () => ({ websocket: sockets.underWay, event_stream: streams.underWay }),
    close: () => {
      streams.close();
      return sockets.close();
    },
  };
  const routes = graphqlRoutes({ apollo, operations, eventStream: streams.handler }, settings);
  return { ...routes, live, stop: () => apollo.stop() };
}
