import type { Client, PoolClient } from 'pg';

interface Wire {
  connection: {
    stream: { destroy(): void; on(event: 'data', listener: (chunk: Buffer) => void): void };
  };
}

/**
 * The socket of a client, which the types of `pg` hide. Destroyed directly, since `end()` would wait for a server
 * that is gone.
 */
export const streamOf = (client: Client | PoolClient): Wire['connection']['stream'] =>
  (client as unknown as Wire).connection.stream;
