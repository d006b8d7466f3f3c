import type { ServerResponse } from 'node:http';
import type { Refusal } from '../base/errors.js';
import type { Access, Caller } from '../base/scopes.js';
import type { JsonSchema } from '../base/validation.js';
import type { WithBody } from '../http/body.js';
import type { Serializer } from './serializer.js';

/** JSON keys and headers whose names differ from those in the services. */
export type Names = Record<string, string>;

export interface RouteInput<Body> {
  userId: string;
  caller: Caller;
  /** The IP address of the client. */
  address: string;
  params: Record<string, string>;
  body: Body;
}

/** One endpoint. The router serves it, and the API document describes it. */
interface Endpoint {
  method: 'get' | 'post' | 'put';
  /** Below `/api`, with `:name` for parameters; that of a file is below `/account`, that of a link below `/check-in`. */
  path: string;
  summary: string;
  /** OPEN serves callers without a token. */
  access: Access;
  status: 200 | 201;
  /** Of the services, besides what every route refuses. The first of a status is the most likely. */
  refuses?: Refusal[];
  example: Example;
}

/**
 * What the page of the API document offers to send. The requests succeed for a new user as they are, one after the
 * other at the instant `AT`, and change neither e-mail nor password.
 */
export interface Example<Body = object> {
  /** With the property names of the services; of a file, all of it. */
  body?: Partial<Body>;
  /** Values that are refused, each in place of the good ones. */
  wrong?: { [Key in keyof Body]?: unknown }[];
  /** Of a list its first entries. A test sends the requests and compares. */
  answer: unknown;
}

/**
 * The id of a row of the first user. For everybody else the page of the API document fills in the id of a row that an
 * answer has shown.
 */
export const FIRST_ID = 1;

/** When the requests of the examples are sent. */
export const AT = '2026-11-21T08:30:00.000Z';

/** Who sends them. */
export const SENDER = 'c1aed9eb-a1d7-40fa-8dce-00db9a85a5a7';

interface AnswerHeader<Answer> {
  description: string;
  schema: JsonSchema;
  of: (answer: Answer) => string | undefined;
}

/** Takes JSON, and answers JSON. */
export interface Route<Body extends object = object, Answer = unknown> extends Endpoint {
  /** What the parameter in the path is the id of. */
  idOf?: 'task' | 'template' | 'challenge';
  body?: new () => Body;
  example: Example<Body>;
  /** JSON key → property, for names that differ. */
  names?: Names;
  /** Keys of the body that are taken too, and not documented. */
  alsoNames?: Names;
  /** Header → property. */
  headers?: Names;
  answer: Serializer<Answer>;
  /** Headers that depend on the answer, which may lack them. */
  answerHeaders?: Record<string, AnswerHeader<Answer>>;
  handle: (input: RouteInput<Body>) => Promise<Answer>;
}

/** Answers with a file, in parts. */
export interface Download extends Endpoint {
  type: string;
  name: (day: string) => string;
  read: (userId: string, work: (parts: AsyncIterator<string, void>) => Promise<void>) => Promise<void>;
}

/** JSON of Steady, or what Loop Habit Tracker packs. */
export const IMPORT_TYPES = ['application/json', 'application/zip'] as const;

/** Takes a file. */
export interface Upload<Answer = unknown> extends Endpoint {
  answer: Serializer<Answer>;
  /** Refuses before the file is read. */
  requireMayBegin: (userId: string, query: URLSearchParams) => Promise<void>;
  take: (userId: string, file: Buffer, query: URLSearchParams) => Promise<Answer>;
  /** What may be asked for behind the address, by name. */
  query: Record<string, { description: string; schema: JsonSchema }>;
}

/** Opened by an address that is secret by itself: answers browsers with a page, and programs with JSON. */
export interface LinkRoute extends Endpoint {
  /** For the document: the JSON that it takes, beside an empty body and a form. */
  body?: new () => object;
  answer: Pick<Serializer<never>, 'schema'>;
  /** Told without asking the database; undefined where that is not known. */
  userOf: (token: string) => string | undefined;
  serve: (served: { request: WithBody; response: ServerResponse; token: string }) => Promise<void>;
}

export type AnyRoute = Route | Download | Upload | LinkRoute;

export const isDownload = (route: AnyRoute): route is Download => 'read' in route;
export const isUpload = (route: AnyRoute): route is Upload => 'take' in route;

export const isLink = (route: AnyRoute): route is LinkRoute => 'serve' in route;

export const isFile = (route: AnyRoute): route is Download | Upload => isDownload(route) || isUpload(route);

/** Its path as a client asks for it, with the names of parameters. */
export const templateOf = (route: AnyRoute): string =>
  isFile(route) || isLink(route) ? pathBelowApi(route) : `/api${route.path}`;

/** Its path below `/api`, where files and links are served too: clients that are generated know one address only. */
export function pathBelowApi(route: AnyRoute): string {
  if (isLink(route)) return `/check-in${route.path}`;
  return isFile(route) ? `/account${route.path}` : route.path;
}

/** Only for type inference: the handler's `body` gets the type of the route's body. */
export const route = <Body extends object, Answer>(declared: Route<Body, Answer>): Route =>
  declared as unknown as Route;
