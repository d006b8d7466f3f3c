import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { isWelcome } from '../../http/answers.js';
import { refuseBare } from '../../http/server.js';
import type { Operations } from '../operations.js';
import type { GraphqlSettings } from '../settings.js';
import { Client } from './client.js';
import { Quota } from './subscriptions.js';

/** How long a client may take to answer a close frame. */
const CLOSING_LIMIT_MS = 2_000;

const GOING_AWAY = 1001;

/** GraphQL over WebSocket, in the protocol `graphql-transport-ws`. */
export class WebSockets {
  private readonly sockets: WebSocketServer;
  private readonly quota: Quota;
  private readonly clients = new Set<Client>();
  private isClosing = false;

  constructor(
    private readonly operations: Operations,
    private readonly settings: GraphqlSettings,
  ) {
    const { bodyLimit, liveMaxPerUser, liveMaxPerProcess } = settings.config;
    this.quota = new Quota('WebSockets', liveMaxPerUser, liveMaxPerProcess);
    const limits = {
      maxPayload: bodyLimit,
      closeTimeout: CLOSING_LIMIT_MS,
      allowSynchronousEvents: false, // otherwise all messages that have arrived would be handled in one turn
    };
    this.sockets = new WebSocketServer({ noServer: true, handleProtocols, ...limits });
    this.sockets.on('headers', (headers, { trail }) => trail && headers.push(`X-Request-Id: ${trail.id}`));
    this.sockets.on('wsClientError', (error, socket) => refuseBare(socket, 400, error.message));
  }

  /** Upgrades bypass Express. */
  attach(server: Server): void {
    const { corsOrigins, liveMaxPerProcess } = this.settings.config;
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const refuse = (status: number, message: string) => refuseBare(socket, status, message);
      const isOurs = request.url?.split('?')[0] === '/graphql';
      if (!isOurs) return refuse(404, 'Not found');
      if (this.isClosing) return refuse(503, 'Going away');
      if (!isWelcome(request, corsOrigins)) return refuse(403, 'Pages of this origin are not welcome');
      if (this.clients.size >= liveMaxPerProcess) return refuse(503, 'Too many WebSockets are open');
      this.sockets.handleUpgrade(request, socket, head, (opened) => {
        const client = new Client(opened, request, this.operations, this.settings, this.quota);
        this.clients.add(client);
        opened.once('close', () => this.clients.delete(client));
      });
    });
  }

  /** The number of operations under way on all WebSockets. */
  get underWay(): number {
    return [...this.clients].reduce((sum, { count }) => sum + count, 0);
  }

  /** Waits for operations under way, then closes every connection. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.clients].map((client) => client.hasBegun()));
    await this.operations.settled();
    const closed = [...this.sockets.clients].map((socket) => once(socket, 'close'));
    for (const socket of this.sockets.clients) socket.close(GOING_AWAY, 'Going away');
    await Promise.all(closed);
  }
}
