import { STATUS_CODES } from 'node:http';
import {
  MOST_FAULTS,
  type Reason,
  type ReasonTable,
  Refusal,
  reasonOfStatus,
  unauthenticated,
  unavailable,
} from '../base/errors.js';
import { scopeMissing, sessionNeeded } from '../base/scopes.js';
import { inputFrom } from '../base/validation.js';
import { ERROR_REASON, IGNORED_FIELDS } from '../http/answers.js';
import { INTERNAL, MESSAGES, NO_FILE, notAnObject, notJson, sentenceOf, statusOf } from './errors.js';
import { type AnyRoute, type Example, isUpload, type Route } from './route.js';

type Json = Record<string, unknown>;

type Answer = [status: number, message: string, reason: Reason];

const ERROR = {
  title: 'Error',
  description: 'Why a request was not served.',
  type: 'object',
  properties: { error: { type: 'string', description: 'One sentence, for people.' } },
  required: ['error'],
};

/** Of a file, everything that is wrong is told at once. */
const ERROR_OF_FILE = {
  ...ERROR,
  title: 'FileError',
  properties: {
    ...ERROR.properties,
    faults: {
      type: 'array',
      maxItems: MOST_FAULTS,
      description: `All that is wrong with what is in the file; \`error\` is the first. With ${MOST_FAULTS} there may be more.`,
      items: {
        title: 'Fault',
        description: 'One thing that is wrong with a file.',
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Where in the file it is, such as `tasks[3].colour`.' },
          message: { type: 'string', description: 'One sentence, for people.' },
        },
        required: ['path', 'message'],
      },
    },
  },
};

/** Each response of an error carries it in a header. */
const reasonSchema = (reasons: ReasonTable) => ({
  title: 'Reason',
  description: 'Why a request was not served, for programs. Later releases may add reasons.',
  type: 'string',
  enum: Object.keys(reasons),
  'x-enum-descriptions': Object.fromEntries(
    Object.entries(reasons).map(([reason, { meaning, advice }]) => [reason, `${meaning} ${advice}`]),
  ),
});

/** The headers that all operations share. */
export const sharedHeaders = (reasons: ReasonTable) => ({
  [ERROR_REASON]: {
    description: 'Why the request was not served, for programs.',
    schema: reasonSchema(reasons),
  },
  [IGNORED_FIELDS]: {
    description:
      'The fields of the body that the service does not know and has ignored, separated by commas and encoded as in an address. Of many, it names the first and ends with `...`.',
    schema: { type: 'string' },
  },
});

export const sharedHeader = (name: keyof ReturnType<typeof sharedHeaders>) => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

const RETRY_AFTER = {
  description: 'The number of seconds after which to try again.',
  schema: { type: 'integer', minimum: 1 },
};

const HOW_TO_AUTHENTICATE = {
  description: 'How to send a token: `Authorization: Bearer TOKEN`.',
  schema: { type: 'string', enum: ['Bearer'] },
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
          ...(status === statusOf.unauthenticated && { 'WWW-Authenticate': HOW_TO_AUTHENTICATE }),
        },
        content: {
          'application/json': {
            schema: isUpload(route) && status === statusOf.invalid ? ERROR_OF_FILE : ERROR,
            examples: examplesOf(answers),
          },
        },
      },
    ]),
  );
}

/** In the order in which a client is likely to meet them. */
function answersOf(route: AnyRoute): Answer[] {
  const { method, path, access, refuses = [], example } = route;
  const { body }: Partial<Pick<Route, 'body'>> = 'body' in route ? route : {};
  return [
    ...refuses.map(answerOf),
    ...(body ? wrongIn(example).map((values) => answerOf(refusalOf(body, values))) : []),
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

const UNREADABLE_FILE: Answer[] = [bare(413, MESSAGES[413]), bare(415, NO_FILE)];

const UNREADABLE_BODY: Answer[] = [
  ...[notJson(), notAnObject()].map(answerOf),
  bare(413, MESSAGES[413]),
  bare(415, MESSAGES[415]),
];

const UNREADABLE_PATH = bare(400, MESSAGES[400]);

const isTemporary = (status: number) => status === statusOf.throttled || status === statusOf.unavailable;

/** Each has one value that is refused. */
const wrongIn = ({ body = {}, wrong = [] }: Example): object[] => wrong.map((one) => ({ ...body, ...one }));

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
