import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Logger } from 'pino';
import { refusalOf } from '../database/faults.js';
import { Refusal, type RefusalKind } from '../errors.js';

const codeOf = {
  unauthenticated: 'UNAUTHENTICATED',
  invalid: 'BAD_USER_INPUT',
  missing: 'NOT_FOUND',
  throttled: 'TOO_MANY_REQUESTS',
  unavailable: 'SERVICE_UNAVAILABLE',
} satisfies Record<RefusalKind, string>;

/** How this face says "no". Whatever is neither a refusal nor a fault in the request stays in the log. */
export const formatError =
  (log: Logger) =>
  (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const cause = unwrapResolverError(error);
    const refusal = cause instanceof Refusal ? cause : refusalOf(cause);
    const { locations, path } = formatted;
    if (refusal) {
      return { message: refusal.message, locations, path, extensions: extensionsOf(refusal) };
    }
    if (cause instanceof GraphQLError && formatted.extensions?.code !== 'INTERNAL_SERVER_ERROR') {
      return { ...formatted, message: withoutValues(formatted.message) };
    }
    log.error({ err: cause, path }, 'A resolver failed');
    return {
      message: 'Internal server error',
      locations,
      path,
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    };
  };

function extensionsOf({ kind, details }: Refusal): Record<string, unknown> {
  const { fields = {}, retryAfter, outcome } = details;
  const faults = Object.entries(fields).map(([name, message]) => ({ name, message }));
  return {
    code: codeOf[kind],
    ...(faults.length > 0 && { fields: faults }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(outcome && { outcome }),
  };
}

/** graphql-js repeats what it was given, passwords included. */
const withoutValues = (message: string) =>
  message
    .replace(/ got invalid value [\s\S]*?(?=(?: at "[\w.[\]]+")?; )/, ' got an invalid value')
    .replace(/(cannot represent [^:]*): [\s\S]*$/, '$1.')
    .replace(/, found [\s\S]*$/, '.');
