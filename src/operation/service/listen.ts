import type { Server } from 'node:http';
import { createServer, type ListenOptions } from 'node:net';
import { ListenError } from '../startup/start-errors.js';

/** The settings that say where the service listens. */
export const SERVICE_ADDRESS = { host: 'HOST', port: 'PORT' };

/** Resolves once it listens. `settings` name the variables that say where. */
export const listen = (server: Server, where: ListenOptions, settings: ListenError['settings']) =>
  new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(new ListenError(error, settings));
    server.once('error', fail);
    server.listen(where, () => {
      server.off('error', fail);
      resolve();
    });
  });

/** Rejects as listening would: so a port that is taken is found before a database is made or opened. */
export const requireFree = (
  { host, port }: { host: string; port: number },
  settings: ListenError['settings'],
) =>
  new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => reject(new ListenError(error, settings)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });
