import type { Client, PoolClient } from 'pg';

interface Wire {
  connection: {
    stream: { destroy(): void; on(event: 'data', listener: (chunk: Buffer) => void): void };
  };
}

/** What a client speaks over, as far as the types of `pg` do not tell. `end()` would wait for a server that is gone. */
export const streamOf = (client: Client | PoolClient): Wire['connection']['stream'] =>
  (client as unknown as Wire).connection.stream;
