import type { RefusalKind } from '../errors.js';
import type { Shape } from './shapes.js';

/** Names of JSON keys and headers where they differ from those the core uses. */
export type Names = Record<string, string>;

export interface RouteInput<Body> {
  userId: string;
  /** Where the request comes from. */
  address: string;
  params: Record<string, string>;
  body: Body;
}

/** One endpoint: the router serves it, the API document describes it. */
export interface Route<Body extends object = object, Answer = unknown> {
  method: 'get' | 'post' | 'put';
  /** Below `/api`, with `:name` for parameters. */
  path: string;
  summary: string;
  /** Serves callers without a token. */
  isOpen?: boolean;
  body?: new () => Body;
  /** JSON key → property, for keys that differ. */
  names?: Names;
  /** Header → property. */
  headers?: Names;
  status: 200 | 201;
  answer: Shape<Answer>;
  /** Headers that tell more of an answer. */
  answerHeaders?: (answer: Answer) => Record<string, string>;
  /** Besides `unauthenticated`, which every route behind the lock can say. */
  refuses?: RefusalKind[];
  handle: (input: RouteInput<Body>) => Promise<Answer>;
}

/** Only here to infer types: what a route's body is, its handler receives. */
export const route = <Body extends object, Answer>(declared: Route<Body, Answer>): Route =>
  declared as unknown as Route;
