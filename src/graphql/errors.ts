import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, isEnumType } from 'graphql';
import { refusalOf } from '../database/outcome.js';
import { Refusal, type RefusalKind, reasonOfCode, unavailable } from '../errors.js';
import { currentRequest } from '../request.js';
import { locationsOf } from './documents.js';
import { tooComplex } from './limits.js';
import { refusedFieldsOf } from './reason.js';
import type { GraphqlSettings } from './settings.js';

export const codeOf = {
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  invalid: 'BAD_USER_INPUT',
  missing: 'NOT_FOUND',
  gone: 'NOT_FOUND',
  throttled: 'TOO_MANY_REQUESTS',
  tooMuch: 'QUERY_TOO_COMPLEX',
  unavailable: 'SERVICE_UNAVAILABLE',
} satisfies Record<RefusalKind, string>;

type ErrorSettings = Pick<GraphqlSettings, 'config' | 'log'> & { schema: GraphQLSchema };

/**
 * How GraphQL says "no". An error that is neither a refusal nor caused by the request goes to the log only. Below a
 * mutation that is committed, it says so.
 */
export const formatError = (settings: ErrorSettings) => {
  const format = formatterOf(settings);
  return (
    formatted: GraphQLFormattedError,
    error: unknown,
    hasChanged = currentRequest()?.hasChanged === true,
  ): GraphQLFormattedError => {
    const isAfterChange = hasChanged && isBelowRoot(formatted);
    const shown = format(formatted, error, isAfterChange);
    return isAfterChange ? { ...shown, extensions: { ...shown.extensions, outcome: 'APPLIED' } } : shown;
  };
};

/** The root field of a mutation has returned, so what it did is committed: only a field of its payload has failed. */
const isBelowRoot = ({ path = [] }: GraphQLFormattedError) => path.length > 1;

const formatterOf =
  ({ config, log, schema }: ErrorSettings) =>
  (formatted: GraphQLFormattedError, error: unknown, isAfterChange: boolean): GraphQLFormattedError => {
    const cause = unwrapResolverError(error);
    const found = cause instanceof Refusal ? cause : refusalOf(cause);
    const refusal =
      isAfterChange && found?.kind === 'unavailable' ? unavailable('APPLIED', found.reason) : found;
    const { path } = formatted;
    const locations = error instanceof GraphQLError ? locationsOf(error) : formatted.locations;
    if (refusal) return { message: refusal.message, locations, path, extensions: extensionsOf(refusal) };
    const tokens = /^Syntax Error: Document contains more that (\d+) tokens/.exec(formatted.message)?.[1];
    if (tokens) return overTokens(Number(tokens));
    if (cause instanceof GraphQLError && (cause.path === undefined || !isInternal(formatted))) {
      const { message, fields } = withoutValues(cause);
      const code = isInternal(formatted) ? 'BAD_REQUEST' : formatted.extensions?.code;
      const helpful = (text: string) =>
        config.introspection ? withValues(text, schema) : withoutSuggestions(text);
      return {
        ...formatted,
        ...(locations && { locations }),
        message: helpful(message),
        extensions: {
          ...formatted.extensions,
          code,
          reason: reasonOfCode(code),
          ...(fields && { fields: fields.map((each) => ({ ...each, message: helpful(each.message) })) }),
        },
      };
    }
    log.error({ err: cause, path }, 'A resolver failed');
    return {
      message: 'Internal server error',
      locations,
      path,
      extensions: { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL' },
    };
  };

function extensionsOf(refusal: Refusal): Record<string, unknown> {
  const { kind, reason, details } = refusal;
  const { retryAfter, outcome, size } = details;
  const invalidFields = refusedFieldsOf(refusal);
  return {
    code: codeOf[kind],
    reason,
    ...(invalidFields.length > 0 && { fields: invalidFields }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(outcome && { outcome }),
    ...size,
  };
}

/** The parser stops at the limit, so the actual number is unknown. */
function overTokens(maximum: number): GraphQLFormattedError {
  const { message, extensions } = tooComplex('tokens', maximum, maximum + 1);
  const { http: _, ...rest } = extensions;
  return { message, extensions: rest };
}

const isInternal = ({ extensions }: GraphQLFormattedError) => extensions?.code === 'INTERNAL_SERVER_ERROR';

/** graphql-js is recursive: a document that nests too deeply exhausts the stack, which is a RangeError. */
export const tooDeep = () =>
  new GraphQLError('Syntax Error: The document nests too deeply.', {
    extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { status: 400 } },
  });

interface SafeError {
  message: string;
  fields?: { name: string; message: string }[];
}

/**
 * graphql-js quotes the values that it was given, passwords included. Names and types stay in the message, values do
 * not.
 */
function withoutValues({ message, originalError }: GraphQLError): SafeError {
  if (!originalError || !message.endsWith(`; ${originalError.message}`))
    return { message: reasonOf(message) };
  const reason = reasonOf(originalError.message);
  const prefix = message.slice(0, -originalError.message.length - 2);
  const [variable = 'A variable', variableName] = /^Variable "\$(\w+)"/.exec(prefix) ?? [];
  const [place = '', path = ''] = / at "(\w[\w.[\]]*)"$/.exec(prefix) ?? [];
  const [, missing] = /^Field "(\w+)"/.exec(reason) ?? [];
  const last = path.split(/\W+/).findLast((key) => key !== '');
  const name = missing ?? last ?? variableName ?? '';
  return {
    message: `${variable} got an invalid value${place}: ${reason}`,
    fields: [{ name, message: reason }],
  };
}

function withoutSuggestions(message: string): string {
  const start = message.lastIndexOf(' Did you mean ');
  return start === -1 ? message : message.slice(0, start);
}

/** A wrong value of an enum is answered with those that there are. */
function withValues(message: string, schema: GraphQLSchema): string {
  const [, name = ''] =
    /(?:does not exist in "(\w+)" enum|Enum "(\w+)" cannot represent [\w -]+)\.$/
      .exec(message)
      ?.filter(Boolean) ?? [];
  const type = schema.getType(name);
  if (!isEnumType(type)) return message;
  return `${message} It has ${type
    .getValues()
    .map(({ name }) => name)
    .join(', ')}.`;
}

/**
 * All of them are anchored, to run in linear time: an attacker can make a message a quarter of a million characters
 * long.
 */
const reasonOf = (message: string) =>
  message
    .replace(/^((?:Enum )?"?\w+"? cannot represent [^:]*): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]*"), found [\s\S]*$/, '$1.')
    .replace(/^Value "[\s\S]*" does not exist in ("\w+" enum)[\s\S]*$/, 'The value does not exist in $1.')
    .replace(/^(Syntax Error: [\s\S]*?\b(?:Name|Int|Float|String|BlockString)) "[\s\S]*"/, '$1')
    .replace(/^(Syntax Error: Invalid [^:]*): [\s\S]*$/, '$1.')
    .replace(/^Maximum call stack size exceeded$/, 'Syntax Error: The document nests too deeply.');
