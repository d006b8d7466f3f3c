import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import net from 'node:net';

/** Node waits five minutes for a request to arrive; nobody honest needs that long. */
const patience = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1_000 };

/** What Node itself answers before a request reaches the application, by the code of its error. */
const REFUSALS: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The body is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};

/** An HTTP server whose every answer is JSON, even to what is no HTTP, and that can be drained. */
export function httpServer(handler: RequestListener): { server: Server; drain: () => Promise<void> } {
  const options = { ...patience, requireHostHeader: false, shouldUpgradeCallback: wantsWebSocket };
  const server = createServer(options, handler);
  server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify({ error: 'The expectation cannot be met' }));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const [status, message] = REFUSALS[error.code ?? ''] ?? [400, 'The request could not be read'];
    const body = JSON.stringify({ error: message });
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  });
  return { server, drain: drainable(server) };
}

/** Some clients offer other protocols, HTTP/2 for one, with plain requests, and mean to be answered all the same. */
const wantsWebSocket = ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket';

/** Answers what was asked and takes nothing new. `server.close()` would reset connections that just asked. */
function drainable(server: Server): () => Promise<void> {
  const unused = new Set<net.Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  for (const event of ['request', 'upgrade']) {
    server.on(event, (request: IncomingMessage) => unused.delete(request.socket));
  }

  return async () => {
    server.prependListener('request', (_request, response) => {
      response.setHeader('Connection', 'close');
    });
    const closed = new Promise((resolve) => server.once('close', resolve));
    net.Server.prototype.close.call(server);
    // Not at once: who has just sent a request would see its connection reset.
    const closing = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy(); // to Node, one that never asked is not idle
    }, 1_000);
    await closed;
    clearInterval(closing);
  };
}
