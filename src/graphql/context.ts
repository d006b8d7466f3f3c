/** What a resolver knows of its request. */
export interface Context {
  /** Null without a valid token. */
  userId: string | null;
  /** Where the request comes from. */
  address: string;
  /** The name of the WebSocket that it comes by. */
  connection?: string;
  /** Negotiated over HTTP: `application/json` rather than `application/graphql-response+json`. */
  wantsPlainJson: boolean;
}

/** Connections and turns are shared out by asker: the user, else the WebSocket, else the address. */
export const askerOf = ({ userId, address, connection }: Context) => userId ?? connection ?? address;

/** The same behind `@Authorized()`. */
export interface UserContext extends Context {
  userId: string;
}
