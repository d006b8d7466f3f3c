import type { Server } from 'node:http';
import type { ListenOptions } from 'node:net';
import { ListenError } from './start-errors.js';

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
