import type { Request, RequestHandler, Response } from 'express';
import type { FormattedExecutionResult } from 'graphql';
import { endWith } from '../http/writing.js';
import type { Context } from './context.js';
import { carryOut } from './execution.js';
import { MEDIA_TYPES, Preference } from './media-types.js';
import type { OperationRequest, Operations } from './operations.js';

/** The media types that Apollo chooses from. */
const preference = new Preference([...MEDIA_TYPES, 'application/json; callbackSpec=1.0; charset=utf-8']);

/**
 * The fast lane: carries out documents that are known to be valid without Apollo, whose way from the body to the
 * answer takes longer than all the rest together. Whatever is unusual goes on to Apollo: a new document, an error in
 * the request, a persisted query, a subscription, any method but POST.
 */
export const lane =
  (operations: Operations, contextOf: (request: Request) => Context): RequestHandler =>
  async (request, response, next) => {
    const mediaType = preference.of(request);
    const asked = request.method === 'POST' && operationIn(request.body);
    const isUsual = asked && typeof mediaType === 'string' && MEDIA_TYPES.includes(mediaType);
    const admitted = isUsual ? operations.admitUsual(asked, contextOf(request)) : undefined;
    if (!admitted) return next();
    const result = await carryOut(admitted);
    const extensions = request.headers['graphql-cost'] === '1' && { extensions: { cost: admitted.cost } };
    const answer = operations.formatted({ ...result, ...extensions }, admitted);
    const isTooLarge = answer.data === undefined;
    response.statusCode = isTooLarge && mediaType !== MEDIA_TYPES[0] ? 400 : 200;
    response.setHeader('content-type', mediaType as string);
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
function send(response: Response, { errors, data, extensions }: FormattedExecutionResult): void {
  const text = `${JSON.stringify({ errors, data, extensions })}\n`;
  response.setHeader('cache-control', 'no-store');
  endWith(response, text);
}
