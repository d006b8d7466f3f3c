import { createServer, type Server } from 'node:http';
import { shareCall } from '../../base/queues/shared-call.js';
import { listen } from './listen.js';

export interface MetricsListenerSettings {
  host: string;
  port: number;
  /** The metrics, in the format of Prometheus; undefined before the service is up. */
  text: () => Promise<string | undefined>;
}

const FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/** Whoever asks here is a scraper with one small request. */
const PATIENCE_MS = 5_000;

/** `GET /metrics` on a port of its own, which nobody but the operator can reach. */
export async function listenForMetrics({ host, port, text }: MetricsListenerSettings): Promise<Server> {
  const gathered = shareCall(text);
  const server = createServer(
    {
      headersTimeout: PATIENCE_MS,
      requestTimeout: PATIENCE_MS,
      keepAliveTimeout: PATIENCE_MS,
      connectionsCheckingInterval: PATIENCE_MS,
    },
    async (request, response) => {
      const [path] = request.url?.split('?') ?? [];
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (path !== '/metrics' || !isRead) {
        response.writeHead(404, { 'Content-Type': 'application/json; charset=utf-8' });
        return void response.end(JSON.stringify({ error: 'Not found: metrics are at GET /metrics' }));
      }
      const body = await gathered().catch(() => undefined);
      response.writeHead(body === undefined ? 503 : 200, {
        'Content-Type': FORMAT,
        'Cache-Control': 'no-store',
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    },
  );
  server.maxConnections = 20;
  await listen(server, { port, host }, { host: 'METRICS_PORT', port: 'METRICS_PORT' });
  server.unref();
  return server;
}
