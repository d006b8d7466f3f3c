import type { Socket } from 'node:net';
import type { Client, PoolClient } from 'pg';

interface Wire {
  connection: { stream: Socket };
}

/**
 * The socket of a client, which the types of `pg` hide. Destroyed directly, since `end()` would wait for a server
 * that is gone.
 */
export const streamOf = (client: Client | PoolClient): Socket =>
  (client as unknown as Wire).connection.stream;
