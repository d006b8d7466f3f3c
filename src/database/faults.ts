import { type Refusal, unavailable } from '../errors.js';

/** Refused or given up before the statement went out, or answered by the server with an error that undid it. */
const NOT_APPLIED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|53300|57P03|57014|55P03|40001|40P01|25P03)$/;

/** The connection went away while a statement was under way. */
const UNKNOWN = /^(57P01|57P02|08\w{3}|EPIPE|ECONNRESET|ETIMEDOUT)$/;

const NEVER_CONNECTED = /timeout exceeded when trying to connect|terminated due to connection timeout/;
const CONNECTION_LOST = /Connection terminated|Query read timeout|not queryable|Connection ended/;

/** What a failing database means for the request that met it; undefined when the database is not to blame. */
export function refusalOf(error: unknown): Refusal | undefined {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (NOT_APPLIED.test(String(code)) || NEVER_CONNECTED.test(message)) return unavailable('NOT_APPLIED');
  if (UNKNOWN.test(String(code)) || CONNECTION_LOST.test(message)) return unavailable('UNKNOWN');
  return undefined;
}

/** In milliseconds: a second attempt begins even after one that got no answer, and none later than this. */
const PATIENCE = 2_600;
const PAUSE = 50;

/** For work that may be done again without being done twice: asks until the outcome is known, or time is up. */
export async function untilKnown<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE;
  let isUnknown = false;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const outcome = refusalOf(error)?.details.outcome;
      isUnknown ||= outcome === 'UNKNOWN';
      if (!outcome || performance.now() > deadline)
        throw isUnknown && outcome ? unavailable('UNKNOWN') : error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
