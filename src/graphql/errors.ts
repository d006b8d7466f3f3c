import { unwrapResolverError } from '@apollo/server/errors';
import {
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
} from 'graphql';
import { Refusal, type RefusalKind, reasonOfCode, unavailable } from '../base/errors.js';
import { currentRequest } from '../base/request.js';
import { refusalOf } from '../database/outcome.js';
import { locationsOf, placeOf, placeOfVariable, type ValuePlace } from './documents.js';
import { tooComplex } from './limits.js';
import { publicOf, refusedFieldsOf } from './reason.js';
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

type ErrorSettings = Pick<GraphqlSettings, 'log'> & { schema: GraphQLSchema };

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
  ({ log, schema }: ErrorSettings) =>
  (formatted: GraphQLFormattedError, error: unknown, isAfterChange: boolean): GraphQLFormattedError => {
    const cause = unwrapResolverError(error);
    const found = cause instanceof Refusal ? cause : refusalOf(cause);
    const refusal =
      isAfterChange && found?.kind === 'unavailable'
        ? unavailable('APPLIED', found.reason)
        : found && publicOf(found);
    const { path } = formatted;
    const locations = error instanceof GraphQLError ? locationsOf(error) : formatted.locations;
    if (refusal) return { message: refusal.message, locations, path, extensions: extensionsOf(refusal) };
    const tokens = /^Syntax Error: Document contains more that (\d+) tokens/.exec(formatted.message)?.[1];
    if (tokens) return overTokens(Number(tokens));
    if (cause instanceof GraphQLError && (cause.path === undefined || !isInternal(formatted))) {
      const { message, fields } = withoutValues(cause);
      const code = isInternal(formatted) ? 'BAD_REQUEST' : formatted.extensions?.code;
      return {
        ...formatted,
        ...(locations && { locations }),
        message: withValues(message, schema),
        extensions: {
          ...formatted.extensions,
          code,
          reason: reasonOfCode(code),
          ...(fields && {
            fields: fields.map((each) => ({ ...each, message: withValues(each.message, schema) })),
          }),
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

interface FieldAtFault {
  /** The argument, or the field of `input`. */
  name: string;
  /** Where what lies deeper stands, from there on. */
  path?: ValuePlace;
  message: string;
}

interface SafeError {
  message: string;
  fields?: FieldAtFault[];
}

/**
 * graphql-js quotes the values that it was given, passwords included. Names and types stay in the message, values do
 * not.
 */
function withoutValues(error: GraphQLError): SafeError {
  const { message, originalError } = error;
  const place = placeOf(error);
  if (place) {
    const reason = reasonOf(message);
    return {
      message: `"${asWritten(place)}" got an invalid value: ${reason}`,
      fields: [fieldAt(place, reason)],
    };
  }
  const used = placeOfVariable(error);
  if (!originalError || !message.endsWith(`; ${originalError.message}`)) {
    const reason = reasonOf(message);
    return { message: reason, ...(used && IS_ABSENT.test(reason) && { fields: [fieldAt(used, reason)] }) };
  }
  const reason = reasonOf(originalError.message);
  const prefix = message.slice(0, -originalError.message.length - 2);
  const [variable = 'A variable', name = ''] = /^Variable "\$(\w+)"/.exec(prefix) ?? [];
  const [at = '', path = ''] = / at "(\w[\w.[\]]*)"$/.exec(prefix) ?? [];
  const [, ...below] = path.match(/\w+/g) ?? [];
  const keys = below.map((key) => (/^\d/.test(key) ? Number(key) : key));
  return {
    message: `${variable} got an invalid value${at}: ${reason}`,
    fields: [fieldAt([...(used ?? [name]), ...keys], reason)],
  };
}

const IS_ABSENT =
  /^Variable "\$\w+" of (required type "[^"]*" was not provided|non-null type "[^"]*" must not be null)\.$/;

/** As graphql-js writes the place of a value in a variable. */
const asWritten = (place: ValuePlace) =>
  place.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${key}`)).join('');

function fieldAt(place: ValuePlace, message: string): FieldAtFault {
  const [, missing] = /^Field "(?:\w+\.)?(\w+)" (?:of required type|is not defined)/.exec(message) ?? [];
  const whole = missing === undefined ? place : [...place, missing];
  const path = whole[0] === 'input' && whole.length > 1 ? whole.slice(1) : whole;
  const name = path.find((key) => typeof key === 'string') ?? 'input';
  return path.length === 1 && path[0] === name ? { name, message } : { name, path, message };
}

/** A wrong value of an enum is answered with those that there are, and one of several keys with all of them. */
function withValues(message: string, schema: GraphQLSchema): string {
  const [field = '', input = ''] = /field of "(\w+)"(?=, and leave the others out)/.exec(message) ?? [];
  const choice = schema.getType(input);
  if (isInputObjectType(choice))
    return message.replace(field, `of ${Object.keys(choice.getFields()).join(', ')}`);
  const [, name = ''] =
    /(?:does not exist in "(\w+)" enum|Enum "(\w+)" (?:cannot represent|takes) [\w -]+)\.$/
      .exec(message)
      ?.filter(Boolean) ?? [];
  const type = schema.getType(name);
  if (!isEnumType(type)) return message;
  return `${message} It has ${type
    .getValues()
    .map(({ name }) => name)
    .join(', ')}.`;
}

const ONE_FIELD = 'Give exactly one field of $1, and leave the others out: null counts as given.';

/** What Apollo says of a request in its own words, and what we say. */
const OF_REQUESTS: [theirs: RegExp, ours: string][] = [
  [/^POST body missing, /, 'Send JSON with a document, such as {"query": "{ me { name } }"}'],
  [/^Apollo Server supports only /, 'Use GET or POST here'],
  [
    /^This operation has been blocked as a potential Cross-Site /,
    'Send it by POST, or with the header Apollo-Require-Preflight: true',
  ],
  [/^`(variables|extensions)` in a POST body should be provided as an object, /, '`$1` must be an object'],
];

const inOurWords = (message: string) => {
  const [theirs, ours] = OF_REQUESTS.find(([theirs]) => theirs.test(message)) ?? [];
  return theirs && ours ? (theirs.exec(message)?.[0] ?? '').replace(theirs, ours) : message;
};

/**
 * All of them are anchored, to run in linear time: an attacker can make a message a quarter of a million characters
 * long.
 */
const reasonOf = (message: string) =>
  inOurWords(message)
    .replace(/^Exactly one key must be specified for OneOf type ("\w+")\.$/, ONE_FIELD)
    .replace(/^OneOf Input Object ("\w+") must specify exactly one key\.$/, ONE_FIELD)
    .replace(
      /^Field "(?:\w+\.)?(\w+)" must be non-null\.$/,
      '"$1" cannot be null: give it a value, or leave it out and give another.',
    )
    .replace(
      /^Enum ("\w+") cannot represent non-enum value: [\s\S]*$/,
      'Enum $1 takes a name without quotes.',
    )
    .replace(/^((?:Enum )?"?\w+"? cannot represent [^:]*): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]*"), found [\s\S]*$/, '$1.')
    .replace(/^Value "[\s\S]*" does not exist in ("\w+" enum)[\s\S]*$/, 'The value does not exist in $1.')
    .replace(/^(Syntax Error: [\s\S]*?\b(?:Name|Int|Float|String|BlockString)) "[\s\S]*"/, '$1')
    .replace(/^(Syntax Error: Invalid [^:]*): [\s\S]*$/, '$1.')
    .replace(/^Maximum call stack size exceeded$/, 'Syntax Error: The document nests too deeply.');
