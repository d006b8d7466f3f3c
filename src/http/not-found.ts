import type { Handler } from './server.js';
import { endWithJson } from './writing.js';

export const notFound: Handler = (_request, response) => endWithJson(response, 404, { error: 'Not found' });

/** Express would answer OPTIONS in plain text. */
export const withoutOptions: Handler = (request, response, next) =>
  request.method === 'OPTIONS' ? notFound(request, response, next) : next();
