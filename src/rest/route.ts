import type { Refusal } from '../errors.js';
import type { Access, Scopes } from '../scopes.js';
import type { Shape } from './shapes.js';

/** JSON keys and headers whose names differ from those in the services. */
export type Names = Record<string, string>;

export interface RouteInput<Body> {
  userId: string;
  scopes: Scopes;
  /** The IP address of the client. */
  address: string;
  params: Record<string, string>;
  body: Body;
}

/** One endpoint. The router serves it, and the API document describes it. */
export interface Route<Body extends object = object, Answer = unknown> {
  method: 'get' | 'post' | 'put';
  /** Below `/api`, with `:name` for parameters. */
  path: string;
  /** What the parameter in the path is the id of. */
  idOf?: 'task' | 'template' | 'challenge';
  summary: string;
  /** OPEN serves callers without a token. */
  access: Access;
  body?: new () => Body;
  /** JSON key → property, for names that differ. */
  names?: Names;
  /** Header → property. */
  headers?: Names;
  status: 200 | 201;
  answer: Shape<Answer>;
  /** Headers that depend on the answer. */
  answerHeaders?: (answer: Answer) => Record<string, string>;
  /** Of the services, besides what every route refuses. The first of a status is the most likely. */
  refuses?: Refusal[];
  handle: (input: RouteInput<Body>) => Promise<Answer>;
}

/** Its path as a client asks for it, with the names of parameters. */
export const templateOf = ({ path }: Pick<Route, 'path'>): string => `/api${path}`;

/** Only for type inference: the handler's `body` gets the type of the route's body. */
export const route = <Body extends object, Answer>(declared: Route<Body, Answer>): Route =>
  declared as unknown as Route;
