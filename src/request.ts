import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock } from './clock.js';
import { tooMuch } from './errors.js';

/**
 * How many requests are worked on at a time: more would wait for a connection to the database, or be refused there at
 * ten times the cost.
 */
export const AT_WORK = 100;

/** In bytes: what one request may read. With what is on its way, it takes some four times as much memory. */
export const READ_LIMIT = 10 * 1_024 * 1_024;

/** What the door knows of a request. */
export interface Visit {
  /** Whether nobody waits for the answer any more. */
  isAbandoned: () => boolean;
  /** Only while its body is on the way. */
  slot?: Slot;
}

/** The right of a request to be worked on; whoever sends a body slowly does without it meanwhile. */
export interface Slot {
  leave(): void;
  /** Says how many bytes of the body are held, until it comes back. */
  hold(bytes: number): void;
  /** Goes on once there is a slot again. */
  comeBack(goOn: () => void): void;
}

/** The scope of one request: what goes along with it, wherever it is worked on. */
export interface Request extends Visit {
  /** On both clocks, in milliseconds: one never steps, the other goes on while the machine sleeps. */
  cameAt: { steady: number; wall: number };
  /** In milliseconds: how long the database may be asked for it. */
  time: number;
  /** The user, or the address, that shares connections among its requests. */
  asker: string | undefined;
  hasChanged: boolean;
  /** In bytes. */
  read: number;
}

const visits = new AsyncLocalStorage<Visit | Request>();

const isRequest = (visit: Visit | undefined): visit is Request => visit !== undefined && 'time' in visit;

/** Runs what the door lets in. Its deadline is set once it has been read. */
export const asVisit = <T>(visit: Visit, work: () => T): T => visits.run(visit, work);

export const currentVisit = (): Visit | undefined => visits.getStore();

/** Runs the work of a request of `asker`, which may ask the database for so many milliseconds from now on. */
export function asRequest<T>(time: number, work: () => T, asker?: string): T {
  const isAbandoned = currentVisit()?.isAbandoned ?? (() => false);
  const cameAt = { steady: performance.now(), wall: systemClock.now().getTime() };
  return visits.run({ isAbandoned, cameAt, time, asker, hasChanged: false, read: 0 }, work);
}

/** Null for work that nobody has requested: the job, migrations, commands. */
export function currentRequest(): Request | null {
  const visit = currentVisit();
  return isRequest(visit) ? visit : null;
}

/** In milliseconds. After a sleep of the machine, the wall clock alone knows how late it is. */
export function timeLeft(request: Request | null = currentRequest()): number {
  if (!request) return Infinity;
  const { steady, wall } = request.cameAt;
  return request.time - Math.max(performance.now() - steady, systemClock.now().getTime() - wall);
}

/** Whether an answer of the database would come too late for the request. */
export const isLate = (request: Request | null = currentRequest()): boolean => timeLeft(request) < 0;

/** Whether it is too late, or nobody waits any more: then no work should begin. */
export const isInVain = (request: Request | null = currentRequest()): boolean =>
  isLate(request) || (request?.isAbandoned() ?? false);

/** What is known of the writes of a request that we cannot go on with. */
export const outcomeSoFar = (request: Request | null = currentRequest()): 'NOT_APPLIED' | 'UNKNOWN' =>
  request?.hasChanged ? 'UNKNOWN' : 'NOT_APPLIED';

/** The request has changed something for good, whatever becomes of the rest. */
export function noteChange(): void {
  const request = currentRequest();
  if (request) request.hasChanged = true;
}

/** Counts bytes that the database has sent, or has looked at instead of sending them. */
export function noteRead(bytes: number, request: Request | null = currentRequest()): void {
  if (request) request.read += bytes;
}

export const readsTooMuch = (request: Request | null = currentRequest()): boolean =>
  (request?.read ?? 0) > READ_LIMIT;

export function refuseTooMuch(): void {
  const { read = 0, hasChanged = false } = currentRequest() ?? {};
  if (read > READ_LIMIT) throw tooMuch(READ_LIMIT, read, hasChanged);
}
