import type { ServerResponse } from 'node:http';
import type { CheckedIn } from '../check-in/check-in.service.js';
import type { Refusal } from '../errors.js';
import type { WithBody } from '../http/body.js';
import type { Access, Caller } from '../scopes.js';
import type { Serializer } from './serializers.js';

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
}

/** Takes JSON, and answers JSON. */
export interface Route<Body extends object = object, Answer = unknown> extends Endpoint {
  /** What the parameter in the path is the id of. */
  idOf?: 'task' | 'template' | 'challenge';
  body?: new () => Body;
  /** JSON key → property, for names that differ. */
  names?: Names;
  /** Header → property. */
  headers?: Names;
  answer: Serializer<Answer>;
  /** Headers that depend on the answer. */
  answerHeaders?: (answer: Answer) => Record<string, string>;
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
  requireMayBegin: (userId: string) => Promise<void>;
  take: (userId: string, file: Buffer) => Promise<Answer>;
}

/** Opened by an address that is secret by itself: answers browsers with a page, and programs with JSON. */
export interface LinkRoute extends Endpoint {
  /** For the document: the JSON that it takes, beside an empty body and a form. */
  body?: new () => object;
  answer: Serializer<CheckedIn>;
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
