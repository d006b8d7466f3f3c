import { AsyncLocalStorage } from 'node:async_hooks';
import { isIPv6 } from 'node:net';
import type { Trail } from '../telemetry/trail.js';
import { systemTime } from './clock.js';
import { tooMuch } from './errors.js';

/** How much one request may read from the database. With copies on the way, it takes about four times as much memory. */
export const READ_LIMIT_BYTES = 10 * 1_024 * 1_024;

/** The facts about a request that its transport knows. */
export interface Visit {
  /** Whether the client has gone. */
  isAbandoned: () => boolean;
  /** The header of that name: the languages of the device. */
  acceptLanguage?: string | undefined;
  trail?: Trail | undefined;
  /** Who takes turns with others before anything of the request is read: a user, or an address. */
  owner?: string | undefined;
  /** Undefined for what needs none, such as a health check. */
  permit?: Permit | undefined;
  /** To be called when its body is parsed, or is not going to be. Undefined if it is a small one. */
  isParsed?: (() => void) | undefined;
}

/** The permit of a request, which it leaves while it waits for a turn of its own. */
export interface Permit {
  suspend(): void;
  /** Takes it again at once, even if there are more requests at work than usual: a turn must not wait for a permit. */
  resume(): void;
  /** Gives it back for good. */
  end(): void;
}

/** In milliseconds on two clocks: the steady one never steps, the wall clock goes on while the machine sleeps. */
interface Moment {
  steady: number;
  wall: number;
}

const moment = (): Moment => ({ steady: performance.now(), wall: systemTime() });

/** In milliseconds. The later of both clocks counts: after a sleep of the machine, only the wall clock tells it. */
const since = ({ steady, wall }: Moment) => Math.max(performance.now() - steady, systemTime() - wall);

/**
 * In times of `statementTime`, from the start: when a request leaves the queues of our own, sends no statement any more,
 * and waits for no answer any more. The last is `REQUEST_TIMEOUT` for most: the database has half of it, as
 * `config/timeouts.ts` says, and queues may take most of the rest.
 */
const ENDS = { waiting: 1.6, sending: 1.8, answers: 2 };

/**
 * The owner of what has no user. An IPv6 address counts as its /64 network: whoever has one address of it has them all,
 * and could change it for each request.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, ''); // an IPv4 address as a dual-stack socket shows it
  return isIPv6(plain) ? groupsOf(plain).slice(0, 4).join(':') : plain;
}

/** The eight groups of an IPv6 address, in hexadecimal digits. */
export function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`); // the URL parser normalises the spelling
  const [left = [], right = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right];
}

/** The scope of one request, available wherever it is worked on. */
export interface Request extends Visit {
  /** When its handler started work. */
  startedAt: Moment;
  /** In milliseconds, without the time in queues of our own: how long the request may send statements. */
  statementTime: number;
  /** The queues of our own that it waits in, and for how long it has waited in such queues before, in milliseconds. */
  waits: { entered: number; since: Moment; waited: number };
  /** The owner in fair queues and of shares: the user, or the address. */
  asker: string | undefined;
  hasChanged: boolean;
  /** In bytes: how much it has read from the database. */
  read: number;
  /** Whether the service reads for itself, which the request did not ask for. */
  isReadingForItself: boolean;
}

const visits = new AsyncLocalStorage<Visit | Request>();

const isRequest = (visit: Visit | undefined): visit is Request =>
  visit !== undefined && 'statementTime' in visit;

const outside = AsyncLocalStorage.snapshot();

/**
 * Leaves the scope of the request, and of whatever else work is marked by: for all that goes on after it, or is done for
 * many, and must have neither the deadline nor the share of the one that began it.
 */
export const inBackground = <T>(work: () => T): T => outside(work);

/** Runs an admitted request. Its deadline counts from later, when its handler starts work. */
export const asVisit = <T>(visit: Visit, work: () => T): T => visits.run(visit, work);

export const currentVisit = (): Visit | undefined => visits.getStore();

export const currentRequestId = (): string | undefined => currentVisit()?.trail?.id;

/** For the line of the request in the log: whose account it was about, where nobody was known by a token. */
export function noteAccount(userId: string): void {
  const trail = currentVisit()?.trail;
  if (trail) trail.userId ??= userId;
}

/** Gives the permit of the request back: what is left of the answer goes on at the pace of others. */
export const endWork = (): void => currentVisit()?.permit?.end();

/** Runs the work of a request, which may send statements for `statementTime` milliseconds from now. */
export function asRequest<T>(
  statementTime: number,
  work: () => T,
  asker?: string,
  trail: Trail | undefined = currentVisit()?.trail,
): T {
  const { isAbandoned = () => false, permit, acceptLanguage } = currentVisit() ?? {};
  const startedAt = moment();
  const waits = { entered: 0, since: startedAt, waited: 0 };
  const rest = { statementTime, waits, asker, hasChanged: false, read: 0, isReadingForItself: false };
  const request = { isAbandoned, acceptLanguage, permit, trail, startedAt, ...rest };
  return visits.run(request, work);
}

/** Null outside of requests: in the streak job, migrations and commands. */
export function currentRequest(): Request | null {
  const visit = currentVisit();
  return isRequest(visit) ? visit : null;
}

/** For work that may take long, such as a deletion: from its start, the request may send statements for this time. */
export function allowTime(statementTime: number): void {
  const request = currentRequest();
  if (request) request.statementTime = Math.max(request.statementTime, statementTime);
}

/**
 * Waits for a turn of its own, as for a thread that hashes. Meanwhile the request holds no permit, and the time does not
 * count against its statements.
 */
export async function suspended<T>(wait: () => Promise<T>): Promise<T> {
  const permit = currentVisit()?.permit;
  permit?.suspend();
  try {
    return await untimed(wait);
  } finally {
    permit?.resume();
  }
}

/** Does not count the time of `work` against the statements of the request, which keeps its permit. */
export async function untimed<T>(work: () => Promise<T>): Promise<T> {
  const waits = currentRequest()?.waits;
  if (!waits) return work();
  if (waits.entered === 0) waits.since = moment();
  waits.entered += 1;
  try {
    return await work();
  } finally {
    waits.entered -= 1;
    if (waits.entered === 0) waits.waited += since(waits.since);
  }
}

/** In milliseconds: how long statements may still be sent. */
export function timeLeft(request: Request | null = currentRequest()): number {
  if (!request) return Infinity;
  const { startedAt, statementTime } = request;
  return Math.min(statementTime + waitedBy(request), ENDS.sending * statementTime) - since(startedAt);
}

/** In milliseconds: for how long it has waited in queues of our own. */
const waitedBy = ({ waits }: Request): number => waits.waited + (waits.entered > 0 ? since(waits.since) : 0);

const leftUntil =
  (end: number) =>
  ({ startedAt, statementTime }: Request): number =>
    end * statementTime - since(startedAt);

/** In milliseconds: how long it may still wait in a queue of our own. */
export const waitLeft = leftUntil(ENDS.waiting);

/** In milliseconds: how long answers may still be waited for. */
export const answerLeft = leftUntil(ENDS.answers);

/** Whether the deadline has passed. */
export const isLate = (request: Request | null = currentRequest()): boolean => timeLeft(request) < 0;

/** Whether the deadline has passed or the client has gone: then no work should begin. */
export const isPointless = (request: Request | null = currentRequest()): boolean =>
  isLate(request) || (request?.isAbandoned() ?? false);

/**
 * Does at once what several requests ask for, in the time of the one that has most of it left. What one of them has read,
 * changed or under way, and whether its client has gone, is no concern of the others. Has a turn like one more user.
 */
export function forSeveral<T>(requests: readonly (Request | null)[], work: () => T): T {
  const longest = requests.reduce((one, other) => (timeLeft(other) > timeLeft(one) ? other : one));
  if (!longest) return inBackground(work);
  const { startedAt, statementTime, asker } = longest;
  const waits = { entered: 0, since: startedAt, waited: waitedBy(longest) };
  const rest = { asker: `${asker} and others`, hasChanged: false, read: 0, isReadingForItself: true };
  const request = { isAbandoned: () => false, startedAt, statementTime, waits, ...rest };
  return inBackground(() => visits.run(request, work));
}

/** The outcome to report for a request that cannot be finished. */
export const outcomeSoFar = (request: Request | null = currentRequest()): 'NOT_APPLIED' | 'UNKNOWN' =>
  request?.hasChanged ? 'UNKNOWN' : 'NOT_APPLIED';

/** Marks that the request has changed something for good, even if the rest of it fails. */
export function noteChange(): void {
  const request = currentRequest();
  if (request) request.hasChanged = true;
}

/** Counts bytes that the database has sent, or has read for an aggregate. */
export function noteRead(bytes: number, request: Request | null = currentRequest()): void {
  if (request && !request.isReadingForItself) request.read += bytes;
}

/** What a change makes the service count anew is as long as the account, not as the request. */
export async function readingForItself<T>(work: () => Promise<T>): Promise<T> {
  const request = currentRequest();
  if (!request || request.isReadingForItself) return work();
  request.isReadingForItself = true;
  try {
    return await work();
  } finally {
    request.isReadingForItself = false;
  }
}

export const readsTooMuch = (request: Request | null = currentRequest()): boolean =>
  (request?.read ?? 0) > READ_LIMIT_BYTES;

export function refuseTooMuch(): void {
  const { read = 0, hasChanged = false } = currentRequest() ?? {};
  if (read > READ_LIMIT_BYTES) throw tooMuch(READ_LIMIT_BYTES, read, hasChanged);
}
