import { formRefusals } from './form-refusals.js';
import type { Handler } from './server.js';
import { endWithJson } from './writing.js';

const [status, error] = formRefusals.notFound;

export const notFound: Handler = (_request, response) => endWithJson(response, status, { error });

/** Express would answer OPTIONS in plain text. */
export const withoutOptions: Handler = (request, response, next) =>
  request.method === 'OPTIONS' ? notFound(request, response, next) : next();
