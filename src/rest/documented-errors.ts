import { STATUS_CODES } from 'node:http';
import { Refusal, unauthenticated, unavailable } from '../errors.js';
import { scopeMissing, sessionNeeded } from '../scopes.js';
import { inputFrom } from '../validation.js';
import { INTERNAL, MESSAGES, notAnObject, notJson, statusOf } from './errors.js';
import { wrongExamplesOf } from './examples.js';
import { type AnyRoute, isUpload, type Route } from './route.js';

type Json = Record<string, unknown>;

type Answer = [status: number, message: string];

const ERROR = {
  title: 'Error',
  description: 'Why a request was not served.',
  type: 'object',
  properties: { error: { type: 'string', description: 'One sentence, for people.' } },
  required: ['error'],
};

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
        ...(isTemporary(status) && { headers: { 'Retry-After': RETRY_AFTER } }),
        content: { 'application/json': { schema: ERROR, examples: examplesOf(answers) } },
      },
    ]),
  );
}

/** In the order in which a client is likely to meet them. */
function answersOf(route: AnyRoute): Answer[] {
  const { method, path, access, refuses = [] } = route;
  const { body }: Partial<Route> = 'body' in route ? route : {};
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
    [500, INTERNAL],
  ];
}

const answerOf = ({ kind, message }: Refusal): Answer => [statusOf[kind], message];

const UNREADABLE_FILE: Answer[] = [
  [413, MESSAGES[413]],
  [415, MESSAGES[415]],
];

const UNREADABLE_BODY: Answer[] = [...[notJson(), notAnObject()].map(answerOf), ...UNREADABLE_FILE];

const UNREADABLE_PATH: Answer = [400, MESSAGES[400]];

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
  Object.fromEntries(answers.map(([, message]) => [keyOf(message), { value: { error: message } }]));

/** `Task not found` → `task-not-found` */
const keyOf = (message: string) =>
  message
    .normalize('NFD')
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(/\s+/g, '-')
    .toLowerCase();
