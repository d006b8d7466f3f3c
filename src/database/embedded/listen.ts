import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { CHANNEL, type Listen, type StopListening } from '../backend.js';

interface EmbeddedClient {
  listen(channel: string, receive: (text: string) => void): Promise<StopListening>;
}

/** On the embedded database, which cannot go away. */
export const listenEmbedded =
  (orm: SqlMikroORM): Listen =>
  async ({ receive }) => {
    const connection = orm.em.getConnection() as unknown as { getNativeClient(): Promise<EmbeddedClient> };
    const client = await connection.getNativeClient();
    return client.listen(CHANNEL, receive);
  };
