import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock } from './clock.js';
import { tooMuch } from './errors.js';

/** In bytes: what one request may read. As text in memory, it may take up to twice that. */
export const READ_LIMIT = 16 * 1_024 * 1_024;

export interface Request {
  /** On both clocks, in milliseconds: one never steps, the other goes on while the machine sleeps. */
  cameAt: { steady: number; wall: number };
  /** In milliseconds: how long it may ask. */
  time: number;
  /** The user, or the address, that shares connections among its requests. */
  asker: string | undefined;
  hasChanged: boolean;
  /** In bytes. */
  read: number;
}

const requests = new AsyncLocalStorage<Request>();

/** Undefined for what nobody has requested: the job, migrations, commands. */
export const currentRequest = (): Request | undefined => requests.getStore();

/** Runs the work of a request of `asker`, which may ask the database for so many milliseconds from now on. */
export function asRequest<T>(time: number, work: () => T, asker?: string): T {
  const cameAt = { steady: performance.now(), wall: systemClock.now().getTime() };
  return requests.run({ cameAt, time, asker, hasChanged: false, read: 0 }, work);
}

/** In milliseconds. After a sleep of the machine, the wall clock alone knows how late it is. */
export function timeLeft(): number {
  const request = currentRequest();
  if (!request) return Infinity;
  const { steady, wall } = request.cameAt;
  return request.time - Math.max(performance.now() - steady, systemClock.now().getTime() - wall);
}

/** Whether an answer of the database would come too late for the request that this is done for. */
export const isLate = (): boolean => timeLeft() < 0;

/** Whether the request has changed something for good already, whatever becomes of the rest. */
const hasChanged = (): boolean => currentRequest()?.hasChanged ?? false;

/** What may be said of a request that we cannot go on with. */
export const outcomeSoFar = (): 'NOT_APPLIED' | 'UNKNOWN' => (hasChanged() ? 'UNKNOWN' : 'NOT_APPLIED');

export function noteChange(): void {
  const request = currentRequest();
  if (request) request.hasChanged = true;
}

/** Counts bytes that the database has sent, or has looked at instead of sending them. */
export function noteRead(bytes: number, request = currentRequest()): void {
  if (request) request.read += bytes;
}

export const readsTooMuch = (request = currentRequest()): boolean => (request?.read ?? 0) > READ_LIMIT;

export function refuseTooMuch(): void {
  const { read = 0, hasChanged = false } = currentRequest() ?? {};
  if (read > READ_LIMIT) throw tooMuch(READ_LIMIT, read, hasChanged);
}

/** The connection of whoever waits for the answer to what is being done. */
export const callers = new AsyncLocalStorage<{ readonly destroyed: boolean }>();

/** Whether nobody waits any more. What nobody asked for over HTTP is waited for to its end. */
export const hasCallerGone = (): boolean => callers.getStore()?.destroyed ?? false;
