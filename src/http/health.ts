import express from 'express';
import type { Logger } from 'pino';
import { noteRoute } from '../telemetry/trail.js';
import type { Proxies } from './address.js';

export interface HealthSettings {
  /** False once the service is shutting down. */
  isServing: () => boolean;
  /** Rejects unless the database answers soon. */
  probe: () => Promise<void>;
  /** Whether there is no room for what is written. Reads go on, so it does not decide whether the service is ready. */
  isFull: () => boolean;
  /** The state of the pool. */
  connections: () => object;
  /** The state of the service's own backups, which does not decide whether it is ready; undefined without any. */
  backup: () => object | undefined;
  proxies: Proxies;
  log: Logger;
}

const SHUTTING_DOWN = new Error('Shutting down');

/** `/live`: the process is alive. `/ready`: it can take requests. */
export function health({
  isServing,
  probe,
  isFull,
  connections,
  backup,
  proxies,
  log,
}: HealthSettings): express.Router {
  const router = express.Router();
  let logged: unknown;
  /** Logs once per probe, since concurrent checks share one. */
  const logOnce = (error: unknown) => {
    if (error !== logged) log.warn({ err: error }, 'Not ready');
    logged = error;
  };
  router.get('/live', (request, response) => {
    noteRoute(request, '/health/live');
    response.json({ status: 'live' });
  });
  router.get('/ready', async (request, response) => {
    noteRoute(request, '/health/ready');
    try {
      if (!isServing()) throw SHUTTING_DOWN;
      await probe();
      const proxy = proxies.unbelieved === undefined ? undefined : 'unbelieved';
      const writes = isFull() ? 'no room' : undefined;
      response.json({ status: 'ready', writes, connections: connections(), backup: backup(), proxy });
    } catch (error) {
      logOnce(error);
      response.status(503).json({ error: 'Not ready' });
    }
  });
  return router;
}
