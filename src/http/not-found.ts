import type { RequestHandler } from 'express';

export const notFound: RequestHandler = (_request, response) => {
  response.status(404).json({ error: 'Not found' });
};

/** Express would answer OPTIONS in plain text. */
export const withoutOptions: RequestHandler = (request, response, next) =>
  request.method === 'OPTIONS' ? notFound(request, response, next) : next();
