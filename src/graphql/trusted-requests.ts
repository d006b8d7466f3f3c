import type { RequestHandler } from 'express';
import { MEDIA_TYPES } from './media-types.js';
import type { TrustedDocuments } from './trusted-documents.js';

/** Replaces the hash by its document, so that later handlers need not know of hashes. */
export const onlyTrusted =
  (documents: TrustedDocuments): RequestHandler =>
  (request, response, next) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'POST') return next();
    const parameters = new URLSearchParams(queryOf(request.url));
    const found = documents.documentFor(method === 'GET' ? requestIn(parameters) : request.body);
    if ('refusal' in found) {
      const type = request.accepts(MEDIA_TYPES) || 'application/json';
      response.status(type === MEDIA_TYPES[0] ? 200 : 400).set('Cache-Control', 'no-store');
      return response.type(type).json({ errors: [found.refusal] });
    }
    if (method === 'GET') request.url = withQuery(parameters, found.query);
    else request.body = { ...request.body, query: found.query };
    next();
  };

/** `new URL` would throw on a path such as `//`. */
const queryOf = (url: string) => /\?([^#]*)/.exec(url)?.[1] ?? '';

function requestIn(parameters: URLSearchParams): Record<string, unknown> {
  const { extensions, ...others } = Object.fromEntries(parameters);
  try {
    return { ...others, extensions: extensions && JSON.parse(extensions) };
  } catch {
    return others;
  }
}

function withQuery(parameters: URLSearchParams, query: string): string {
  parameters.set('query', query);
  return `/?${parameters}`;
}
