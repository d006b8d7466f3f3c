import { Refusal } from '../errors.js';
import type { Caller } from '../request.js';
import type { Trail } from '../telemetry/trail.js';

/** A promise only if the database has to be asked; it rejects with a refusal if that fails. */
export type Identify = (authorization: unknown) => Caller | null | Promise<Caller | null>;

export interface Identity {
  /** Null without a valid token. */
  caller: Caller | null;
  /** Set if nobody can tell at the moment whether the token is valid. */
  refusal?: Refusal;
}

/** At once, unless the database has to be asked. */
export function whenIdentified<T>(
  identify: Identify,
  authorization: unknown,
  goOn: (identity: Identity) => T,
): T | Promise<T> {
  const found = identify(authorization);
  if (!(found instanceof Promise)) return goOn({ caller: found });
  return found.then((caller) => ({ caller }), undecided).then(goOn);
}

function undecided(error: unknown): Identity {
  if (!(error instanceof Refusal)) throw error;
  return { caller: null, refusal: error };
}

/** The facts about a request that resolvers need. */
export interface Context {
  /** Null without a valid token. */
  userId: string | null;
  /** Null without a valid token. */
  caller: Caller | null;
  /** Set if nobody can tell at the moment whether the token is valid. */
  undecided?: Refusal | undefined;
  /** Whether a token came with the request, valid or not. */
  hasToken: boolean;
  /** The IP address of the client. */
  address: string;
  /** The name of the WebSocket, for operations that come over one. */
  connection?: string;
  /** True if the client prefers `application/json` to `application/graphql-response+json`. */
  wantsPlainJson: boolean;
  trail?: Trail | undefined;
}

/** The owner in fair queues and of shares: the user, else the WebSocket, else the address. */
export const askerOf = ({ userId, address, connection }: Context) => userId ?? connection ?? address;

export const whoIn = ({ caller, refusal }: Identity) => ({
  userId: caller?.userId ?? null,
  caller,
  undecided: refusal,
});

/** The context behind `@Authorized()`. */
export interface UserContext extends Context {
  userId: string;
  caller: Caller;
}
