import { AsyncLocalStorage } from 'node:async_hooks';

interface Request {
  /** On the scale of `performance.now()`. */
  asksUntil: number;
  hasChanged: boolean;
}

const requests = new AsyncLocalStorage<Request>();

/** Runs the work of a request, which may ask the database for so many milliseconds from now on. */
export const asRequest = <T>(time: number, work: () => T): T =>
  requests.run({ asksUntil: performance.now() + time, hasChanged: false }, work);

/** Whether an answer of the database would come too late for the request that this is done for. */
export const isLate = (): boolean => performance.now() > (requests.getStore()?.asksUntil ?? Infinity);

/** Whether the request has changed something for good already, whatever becomes of the rest. */
const hasChanged = (): boolean => requests.getStore()?.hasChanged ?? false;

/** What may be said of a request that we cannot go on with. */
export const outcomeSoFar = (): 'NOT_APPLIED' | 'UNKNOWN' => (hasChanged() ? 'UNKNOWN' : 'NOT_APPLIED');

export function noteChange(): void {
  const request = requests.getStore();
  if (request) request.hasChanged = true;
}
