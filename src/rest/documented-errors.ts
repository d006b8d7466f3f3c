import { STATUS_CODES } from 'node:http';
import { type Reason, Refusal, reasonOfStatus, reasons, unauthenticated, unavailable } from '../errors.js';
import { ERROR_REASON, IGNORED_FIELDS } from '../http/answers.js';
import { scopeMissing, sessionNeeded } from '../scopes.js';
import { inputFrom } from '../validation.js';
import { INTERNAL, MESSAGES, notAnObject, notJson, sentenceOf, statusOf } from './errors.js';
import { wrongExamplesOf } from './examples.js';
import { type AnyRoute, isUpload, type Route } from './route.js';

type Json = Record<string, unknown>;

type Answer = [status: number, message: string, reason: Reason];

const ERROR = {
  title: 'Error',
  description: 'Why a request was not served.',
  type: 'object',
  properties: { error: { type: 'string', description: 'One sentence, for people.' } },
  required: ['error'],
};

/** Each response of an error carries it in a header. */
const REASON = {
  title: 'Reason',
  description: 'Why a request was not served, for programs. Later releases may add reasons.',
  type: 'string',
  enum: Object.keys(reasons),
  'x-enum-descriptions': Object.fromEntries(
    Object.entries(reasons).map(([reason, { meaning, advice }]) => [reason, `${meaning} ${advice}`]),
  ),
};

/** The headers that all operations share. */
export const sharedHeaders = {
  [ERROR_REASON]: { description: 'Why the request was not served, for programs.', schema: REASON },
  [IGNORED_FIELDS]: {
    description:
      'The fields of the body that the service does not know and has ignored, separated by commas and encoded as in an address. Of many, it names the first and ends with `...`.',
    schema: { type: 'string' },
  },
};

export const sharedHeader = (name: keyof typeof sharedHeaders) => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

const RETRY_AFTER = {
  description: 'The number of seconds after which to try again.',
  schema: { type: 'integer', minimum: 1 },
};

/** The errors that a client may meet, with the messages that the service sends, by status. */
export function errorResponsesOf(route: AnyRoute): Json {
  const byStatus = Map.groupBy(answersOf(route), ([status]) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, answers]) => [
      status,
      {
        description: STATUS_CODES[status],
        headers: {
          ...sharedHeader(ERROR_REASON),
          ...(isTemporary(status) && { 'Retry-After': RETRY_AFTER }),
        },
        content: {
          'application/json': { schema: ERROR, examples: examplesOf(answers) },
        },
      },
    ]),
  );
}

/** In the order in which a client is likely to meet them. */
function answersOf(route: AnyRoute): Answer[] {
  const { method, path, access, refuses = [] } = route;
  const { body }: Partial<Pick<Route, 'body'>> = 'body' in route ? route : {};
  return [
    ...refuses.map(answerOf),
    ...(body ? wrongExamplesOf(body).map((values) => answerOf(refusalOf(body, values))) : []),
    ...(body ? UNREADABLE_BODY : []),
    ...(isUpload(route) ? UNREADABLE_FILE : []),
    ...(path.includes(':') ? [UNREADABLE_PATH] : []),
    ...(access === 'OPEN' ? [] : [answerOf(unauthenticated())]),
    ...(access === 'OPEN' ? [] : [answerOf(access === 'SESSION' ? sessionNeeded() : scopeMissing(access))]),
    ...(method === 'get' ? [] : [answerOf(unavailable('UNKNOWN'))]),
    answerOf(unavailable('NOT_APPLIED')),
    bare(500, INTERNAL),
  ];
}

const answerOf = (refusal: Refusal): Answer => [statusOf[refusal.kind], sentenceOf(refusal), refusal.reason];

/** What is refused by its status alone. */
const bare = (status: number, message: string): Answer => [status, message, reasonOfStatus(status)];

const UNREADABLE_FILE: Answer[] = [bare(413, MESSAGES[413]), bare(415, MESSAGES[415])];

const UNREADABLE_BODY: Answer[] = [...[notJson(), notAnObject()].map(answerOf), ...UNREADABLE_FILE];

const UNREADABLE_PATH = bare(400, MESSAGES[400]);

const isTemporary = (status: number) => status === statusOf.throttled || status === statusOf.unavailable;

/** The refusal of `values`, which break a rule of `body`. */
function refusalOf(body: new () => object, values: object): Refusal {
  try {
    inputFrom(body, values);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`A wrong example of ${body.name} is not refused`);
}

const examplesOf = (answers: Answer[]) =>
  Object.fromEntries(answers.map(([, error, summary]) => [keyOf(error), { summary, value: { error } }]));

/** `Task not found` → `task-not-found` */
const keyOf = (message: string) =>
  message
    .normalize('NFD')
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s+/g, '-')
    .toLowerCase();
