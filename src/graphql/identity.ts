import { Refusal } from '../errors.js';
import type { Caller } from '../request.js';

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
