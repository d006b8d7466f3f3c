import { NoAnswer, ownToken, Refused, request } from './api.js';

/** In milliseconds: a file may be large. */
const PATIENCE_WITH_FILES = 120_000;

/** What is beside GraphQL: files that are taken along, or brought. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const token = ownToken();
  const response = await request(path, token, init, PATIENCE_WITH_FILES);
  const { ok, status } = response;
  if (ok) return response;
  const { error } = await response.json().catch(() => ({}));
  if (!error || status >= 500) throw new NoAnswer(error);
  const reason = response.headers.get('error-reason') ?? (status === 401 ? 'TOKEN_INVALID' : '');
  throw new Refused(error, reason === 'INVALID_INPUT' ? '' : reason, [], token); // the service says where in a file
}
