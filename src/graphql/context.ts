import type { IncomingMessage } from 'node:http';
import type { GraphQLFormattedError, OperationDefinitionNode } from 'graphql';
import { type Clock, callAt } from '../base/clock.js';
import { type Reason, Refusal } from '../base/errors.js';
import { networkOf } from '../base/request.js';
import { type Caller, tokenIn } from '../base/scopes.js';
import { addressOf, originOf, type Trust } from '../http/address.js';
import { noteCaller, type OperationTrail, type Trail } from '../telemetry/trail.js';

/** Whom tokens authenticate. */
export interface Callers {
  /**
   * Null if the header authenticates nobody. A promise only if the database has to be asked; it rejects with a refusal
   * if that fails.
   */
  identify(authorization: unknown): Caller | null | Promise<Caller | null>;
  /** Calls `end` when the caller's token is taken back. Returns a function that cancels it. */
  watch(caller: Caller, end: () => void): () => void;
}

export interface Identity {
  /** Null without a valid token. */
  caller: Caller | null;
  /** Set if nobody can tell at the moment whether the token is valid. */
  refusal?: Refusal;
}

/** At once, unless the database has to be asked. */
export function whenIdentified<T>(
  callers: Pick<Callers, 'identify'>,
  authorization: unknown,
  goOn: (identity: Identity) => T,
): T | Promise<T> {
  const found = callers.identify(authorization);
  if (!(found instanceof Promise)) return goOn({ caller: found });
  return found.then((caller) => ({ caller }), undecided).then(goOn);
}

function undecided(error: unknown): Identity {
  if (!(error instanceof Refusal)) throw error;
  return { caller: null, refusal: error };
}

/** Calls `end` when the caller's token expires or is taken back. Returns a function that cancels it. */
export function endWith(
  caller: Caller,
  { callers, clock }: { callers: Callers; clock: Clock },
  end: () => void,
): () => void {
  const cancelExpiry = caller.expiresAt ? callAt(caller.expiresAt, clock, end) : () => {};
  const unwatch = callers.watch(caller, end);
  return () => {
    cancelExpiry();
    unwatch();
  };
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
  /** On a WebSocket a token comes in the parameters of the connection. */
  isOnSocket: boolean;
  /** The IP address of the client. */
  address: string;
  /** The scheme and the host that the client has asked. */
  origin: () => string;
  /** True if the client prefers `application/json` to `application/graphql-response+json`. */
  wantsPlainJson: boolean;
  /** Whether each answer tells what its operation costs. */
  wantsCost: boolean;
  /** The header, where there is one: cookies bind a log-in to the browser that has begun it. */
  cookie?: string | undefined;
  trail?: Trail | undefined;
}

/**
 * The owner in fair queues and of shares: the user, or the network of the address, as in admission. Who opens many
 * connections has the share of one.
 */
export const askerOf = ({ userId, address }: Pick<Context, 'userId' | 'address'>) =>
  userId ?? networkOf(address);

/** The context of an operation, whose caller is noted. `known`: what a WebSocket knows better than its request. */
export function contextIn(
  request: IncomingMessage,
  { caller, refusal }: Identity,
  trusts: Trust,
  known: Pick<Context, 'wantsPlainJson'> & Partial<Context>,
): Context {
  const { headers } = request;
  const { address = addressOf(request, trusts), trail = request.trail } = known;
  noteCaller(trail, caller?.userId ?? null, address);
  return {
    userId: caller?.userId ?? null,
    caller,
    undecided: refusal,
    hasToken: tokenIn(headers.authorization) !== undefined,
    isOnSocket: false,
    address,
    origin: () => originOf(request, trusts),
    wantsCost: headers['graphql-cost'] === '1', // by a header, since few want to know
    cookie: headers.cookie,
    trail,
    ...known,
  };
}

/** The context of a root field that is not open to everybody. */
export interface UserContext extends Context {
  userId: string;
  caller: Caller;
}

/** For the line of the request and its metrics. */
export function noteOperation(
  trail: Trail | undefined,
  { operation, name }: OperationDefinitionNode,
  rootFields: readonly string[],
  isFast = false,
): void {
  if (!trail) return;
  trail.operation = { type: operation as OperationTrail['type'], name: name?.value, rootFields, isFast };
}

/** The first error tells why an operation was refused. */
export function noteErrors(
  trail: Trail | undefined,
  errors?: readonly Pick<GraphQLFormattedError, 'extensions'>[],
): void {
  const extensions = errors?.[0]?.extensions;
  if (!trail || !extensions) return;
  trail.code = String(extensions.code);
  trail.reason = extensions.reason as Reason;
}

/** Media types of an answer, in Apollo's order of preference when the client has none. */
export const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
];

const OF_ERRORS = 'application/graphql-response+json';

/**
 * The media type of an answer with an error status. A client that names the one of GraphQL takes plain JSON with such
 * a status for the answer of a proxy, and does not read it.
 */
export const typeOfError = ({ headers }: IncomingMessage): string =>
  `${headers.accept?.includes(OF_ERRORS) ? OF_ERRORS : 'application/json'}; charset=utf-8`;
