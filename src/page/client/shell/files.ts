import { NoAnswer, ownToken, Refused, request } from '../sync/api.js';
import { t } from '../ui/language.js';

/** In milliseconds: a file may be large. */
const PATIENCE_WITH_FILES = 120_000;

/** Of what is wrong with a file, so much is said: who mends it finds the rest by trying again. */
const FIRST_FAULTS = 5;

/** What is beside GraphQL: files that are taken along, or brought. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const token = ownToken();
  const response = await request(path, token, init, PATIENCE_WITH_FILES);
  const { ok, status } = response;
  if (ok) return response;
  const { error, faults = [] } = await response.json().catch(() => ({}));
  if (!error || status >= 500) throw new NoAnswer(error);
  const reason = response.headers.get('error-reason') ?? (status === 401 ? 'TOKEN_INVALID' : '');
  const isOfFile = reason === 'INVALID_INPUT'; // then the service says it in its own words
  throw new Refused((isOfFile && linesOf(faults)) || error, isOfFile ? '' : reason, [], token);
}

/** Each thing that is wrong with a file, in a line of its own. */
function linesOf(faults: { path: string; message: string }[]): string {
  const lines = faults.slice(0, FIRST_FAULTS).map(({ path, message }) => `${message} (${path})`);
  const more = faults.length - FIRST_FAULTS;
  return [...lines, ...(more > 0 ? [t.account.moreFaults(more)] : [])].join('\n');
}
