import type { SqlMikroORM } from '@mikro-orm/postgresql';
import { CHANNEL, type Listen } from '../backend.js';
import { engineOf } from './engine.js';

/** On the embedded database, where the connection cannot be lost. */
export const listenEmbedded =
  (orm: SqlMikroORM): Listen =>
  async ({ receive }) => {
    const engine = await engineOf(orm);
    return engine.listen(CHANNEL, receive);
  };
