import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { CLIENT_GONE, type Seen } from './observe.js';
import { traceIdOf } from './spans.js';

export type LoggedRequests = 'all' | 'errors' | 'none';

export interface RequestLogSettings {
  logs: LoggedRequests;
  addressOf: (request: IncomingMessage) => string;
  log: Logger;
}

/** In characters: names of operations are chosen by clients. */
const LONGEST_NAME = 100;

/** How many root fields are named. */
const MOST_FIELDS = 10;

/** How many refusals for lack of room are logged in a second. More would make the overload worse. */
const REFUSALS_A_SECOND = 10;

/**
 * One line a request. Everything in it comes from the route table, the schema, Node's list of methods or a check:
 * nothing secret, nothing forged.
 */
export function requestLog({ logs, addressOf, log }: RequestLogSettings): (seen: Seen) => void {
  const surplus = new Surplus((count) => log.info({ count }, 'More requests were refused for lack of room'));
  if (logs === 'none' || !log.isLevelEnabled('info')) return () => {};
  return (seen) => {
    const outcome = outcomeOf(seen);
    if (logs === 'errors' && outcome === 'OK') return;
    if (outcome === 'OVERLOADED' && surplus.isOver()) return;
    const { trail, method, status, milliseconds, request } = seen;
    const { id, route, userId, operation } = trail;
    const line = {
      request: id,
      trace: traceIdOf(trail),
      method: method || undefined,
      route,
      status,
      ms: Math.round(milliseconds * 10) / 10,
      user: userId ?? undefined,
      address: trail.address ?? (request && addressOf(request)),
      ...(operation && {
        operation: operation.type,
        name: operation.name?.slice(0, LONGEST_NAME),
        fields: operation.rootFields.slice(0, MOST_FIELDS),
      }),
      outcome,
    };
    log.info(line, 'Request');
  };
}

function outcomeOf({ status, trail: { reason, code } }: Seen): string {
  const refusal = reason ?? code;
  if (refusal) return refusal;
  return status < 400 ? 'OK' : status === CLIENT_GONE ? 'CLIENT_GONE' : 'REFUSED';
}

/** Tells once a second how many were beyond the number that is logged. */
class Surplus {
  private second = 0;
  private logged = 0;
  private surplus = 0;

  constructor(private readonly tell: (count: number) => void) {}

  isOver(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) Object.assign(this, { second, logged: 0 });
    if (this.logged < REFUSALS_A_SECOND) {
      this.logged += 1;
      return false;
    }
    if (this.surplus === 0) setTimeout(() => this.report(), 1_000).unref();
    this.surplus += 1;
    return true;
  }

  private report(): void {
    this.tell(this.surplus);
    this.surplus = 0;
  }
}
