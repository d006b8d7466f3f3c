import { print } from 'graphql';
import { type Client, CloseCode, createClient, MessageType, stringifyMessage } from 'graphql-ws';
import { PROGRESS } from './documents.ts';
import type { ProgressSubscription } from './gql/graphql.ts';

interface Callbacks {
  /** Asked at every connection, so that a new token counts from the next one on. */
  token: () => string;
  /** After every connection, once changes arrive: query what is shown, since what came in between is not sent again. */
  connected: () => void;
  /** The token is not valid, or not any more: the client does not try again. */
  loggedOut: () => void;
}

/** Browsers cannot add headers to a WebSocket: the token goes into the first message. */
export const connect = (service: string, { token, connected, loggedOut }: Callbacks): Client =>
  createClient({
    url: `${service.replace(/^http/, 'ws')}/graphql`,
    connectionParams: () => ({ authorization: `Bearer ${token()}` }),
    retryAttempts: Number.POSITIVE_INFINITY, // five without this; it waits longer each time
    on: {
      connected: (socket) => {
        const ask = stringifyMessage({ type: MessageType.Ping, payload: { inForce: true } });
        setTimeout(() => (socket as WebSocket).send(ask)); // behind the subscriptions: it is answered once they are in force
      },
      pong: (isReceived, payload) => {
        if (isReceived && payload?.inForce) connected();
      },
      closed: (event) => {
        if ((event as CloseEvent).code === CloseCode.Unauthorized) loggedOut();
      },
    },
  });

/** Ends with the connection or the loop; `break` unsubscribes. */
export async function* changes(client: Client) {
  for await (const { data, errors } of client.iterate<ProgressSubscription>({ query: print(PROGRESS) })) {
    if (!data) throw new Error(errors?.[0]?.message);
    yield data.progressChanged;
  }
}
