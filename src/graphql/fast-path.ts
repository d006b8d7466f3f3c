import type { ServerResponse } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import type { WithBody } from '../http/body.js';
import { endWith } from '../http/writing.js';
import type { Context } from './context.js';
import { carryOut } from './execution.js';
import { MEDIA_TYPES, Preference } from './media-types.js';
import type { OperationRequest, Operations } from './operations.js';
import { noteErrors, noteOperation } from './request-log-plugin.js';

/** The media types that Apollo chooses from. */
export const apolloTypes = new Preference([
  ...MEDIA_TYPES,
  'application/json; callbackSpec=1.0; charset=utf-8',
]);

/** What the fast path needs to know about a request. */
export interface Usual {
  mediaType: string;
  context: Context;
}

type FastPath = (
  request: WithBody,
  response: ServerResponse,
  usual: Usual,
  next: () => void,
) => Promise<void>;

/**
 * The fast path: carries out documents that are known to be valid without Apollo, whose way from the body to the
 * answer takes longer than all the rest together. Whatever is unusual goes on to Apollo: a new document, an error in
 * the request, a persisted query, a subscription.
 */
export const fastPath =
  (operations: Operations): FastPath =>
  async (request, response, { mediaType, context }, next) => {
    const asked = operationIn(request.body);
    const admitted = asked && operations.admitUsual(asked, context);
    if (!admitted) return next();
    noteOperation(context.trail, admitted, true);
    const result = await carryOut(admitted);
    const extensions = request.headers['graphql-cost'] === '1' && { extensions: { cost: admitted.cost } };
    const answer = operations.formatted({ ...result, ...extensions }, admitted);
    noteErrors(context.trail, answer.errors);
    const isTooLarge = answer.data === undefined;
    response.statusCode = isTooLarge && mediaType !== MEDIA_TYPES[0] ? 400 : 200;
    response.setHeader('content-type', mediaType);
    send(response, answer);
  };

/** The operation in a body without anything unusual. */
function operationIn(body: unknown): OperationRequest | undefined {
  if (!isRecord(body)) return undefined;
  const { query, operationName, variables, extensions } = body;
  const isName = operationName === undefined || operationName === null || typeof operationName === 'string';
  const isPlain = isAbsent(extensions) || (isRecord(extensions) && extensions.persistedQuery === undefined);
  const isUsual =
    typeof query === 'string' && isName && isPlain && (isAbsent(variables) || isRecord(variables));
  return isUsual ? { query, operationName: operationName ?? null, variables: variables ?? null } : undefined;
}

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In Apollo's order of the parts, with a line break at the end. */
function send(response: ServerResponse, { errors, data, extensions }: FormattedExecutionResult): void {
  const text = `${JSON.stringify({ errors, data, extensions })}\n`;
  response.setHeader('cache-control', 'no-store');
  endWith(response, text);
}
