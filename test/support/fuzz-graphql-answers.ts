import { assertKeepsSecrets, assertTellsNothing, type Scene } from './fuzz.js';
import type { Outcome } from './fuzz-transports.js';

const CODES = [
  ...['UNAUTHENTICATED', 'BAD_USER_INPUT', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'QUERY_TOO_COMPLEX'],
  ...['SERVICE_UNAVAILABLE', 'BAD_REQUEST', 'PERSISTED_QUERY_NOT_FOUND'],
  ...['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE'],
];

/** Bad request, unauthorized, two operations of one id, initialised twice, too big, not UTF-8. */
const CLOSE_CODES = [4400, 4401, 4409, 4429, 1009, 1007];

/** Throws unless these are good answers; tells whether they say that all was carried out. */
export function judge({ http, results, closed }: Outcome, scene: Scene): boolean {
  const text = JSON.stringify(results);
  assertKeepsSecrets(text, scene);
  if (closed !== undefined && !CLOSE_CODES.includes(closed)) throw new Error(`Closed with ${closed}`);
  if (http?.status === 304) return false; // If-None-Match: *
  if (closed === undefined && results.length === 0) throw new Error('No answer');
  if (http) {
    if (http.status >= 500 && http.status !== 503) throw new Error('A fault of the service');
    const type = http.headers.get('content-type')?.split(';')[0] ?? '';
    const types = ['application/json', 'application/graphql-response+json', 'text/event-stream'];
    if (!types.includes(type)) throw new Error(`An answer of the type ${type}`);
  }
  for (const result of results) assertWellFormed(result);
  learn(results, scene);
  const isGood = results.every((result) => !('errors' in Object(result)) && !('error' in Object(result)));
  return results.length > 0 && isGood && (http?.status ?? 200) < 300;
}

function assertWellFormed(result: unknown): void {
  const { data, errors, extensions, error, ...more } = Object(result);
  const isByHttp = typeof error === 'string' && data === undefined && errors === undefined;
  if (isByHttp) {
    assertTellsNothing(error);
    return;
  }
  const isWell =
    Object.keys(more).length === 0 &&
    (data !== undefined || errors !== undefined) &&
    (data === undefined || typeof data === 'object') &&
    (errors === undefined || (Array.isArray(errors) && errors.length > 0)) &&
    (extensions === undefined || typeof extensions === 'object');
  if (!isWell) throw new Error('Not an answer of GraphQL');
  for (const each of errors ?? []) assertError(each);
}

function assertError(error: unknown): void {
  const { message, locations = [], path = [], extensions, ...more } = Object(error);
  const isWell =
    Object.keys(more).length === 0 &&
    typeof message === 'string' &&
    message !== '' &&
    Array.isArray(locations) &&
    locations.every(({ line, column }) => line >= 1 && column >= 1) &&
    Array.isArray(path) &&
    path.every((step) => typeof step === 'string' || Number.isSafeInteger(step));
  if (!isWell) throw new Error(`Not an error of GraphQL: ${JSON.stringify(error)}`);
  if (!CODES.includes(extensions?.code))
    throw new Error(`An error with the code ${extensions?.code}: ${message}`);
  assertTellsNothing(JSON.stringify(error));
}

/** Ids and cursors, wherever they stand. */
function learn(value: unknown, scene: Scene): void {
  if (typeof value !== 'object' || value === null) return;
  const { __typename: type, id, email, cursor, endCursor } = value as Record<string, unknown>;
  if (typeof type === 'string' && typeof id === 'string' && type !== 'User')
    scene.learn(type, /^\d+$/.test(id) ? Number(id) : id);
  if (id === scene.user.id && typeof email === 'string') scene.email = email;
  for (const each of [cursor, endCursor]) if (typeof each === 'string') scene.learn('cursor', each);
  for (const each of Object.values(value)) learn(each, scene);
}
