import { CHANNEL, type Listen } from '../backend.js';
import type { Engine } from './engine.js';
import type { PreparedStatements } from './prepared.js';

/** On the embedded database, where the connection cannot be lost. */
export const listenEmbedded =
  (engine: Engine, statements: PreparedStatements): Listen =>
  async ({ receive, heard }) => {
    const stop = await engine.listen(CHANNEL, receive);
    const stopHere = statements.onNotification((channel, text) => channel === CHANNEL && receive(text));
    heard?.(true);
    return () => {
      stopHere();
      return stop();
    };
  };
