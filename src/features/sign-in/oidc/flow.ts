import type { Clock } from '../../../base/clock.js';
import type { Starter } from '../identity.service.js';
import type { Checks } from './provider.js';
import { Sealed } from './sealed.js';

const MINUTE_MS = 60_000;

/** How long somebody may be away at the provider. */
export const FLOW_MS = 10 * MINUTE_MS;

/** What the browser keeps meanwhile, and can neither read nor change. */
export interface Flow extends Checks {
  starter?: Starter;
}

/** The texts of a flow that leave the service. */
export class Flows {
  readonly cookies: Sealed<Flow>;
  /** Begins a flow that belongs to a session. It opens nothing: the session itself has to end the flow. */
  readonly starts: Sealed<Starter>;

  constructor(secret: string, clock: Clock) {
    this.cookies = new Sealed(secret, 'flow of a log-in', FLOW_MS, clock);
    this.starts = new Sealed(secret, 'start of a connection', FLOW_MS, clock);
  }
}

/** The value of a cookie in a header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The cookie of the browser that came back from the provider. */
export const EXCHANGE_COOKIE = 'steady-log-in';
