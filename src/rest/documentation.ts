import { createRequire } from 'node:module';
import path from 'node:path';
import { type Request, type Response, Router } from 'express';
import { noteRoute } from '../telemetry/trail.js';
import { documentOf } from './openapi.js';
import { page, start } from './page.js';
import type { AnyRoute } from './route.js';

// Swagger UI loads its icons from data URLs. Everything else is blocked, including other hosts.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The files of the package that the page needs; no others are served. */
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves `/api/openapi.json`, and its page `/api/docs`. */
export function apiDocument(routes: AnyRoute[], publicPath = ''): Router {
  const router = Router({ caseSensitive: true });
  const document = JSON.stringify(documentOf(routes, publicPath));
  const root = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  router.get('/openapi.json', fresh('json', document));
  router.get('/docs', fresh('html', page(publicPath)));
  router.get('/docs/start.js', fresh('js', start(publicPath)));
  for (const asset of assets) {
    router.get(`/docs/${asset}`, (request, response) => {
      noteRoute(request, '/api/docs/:file');
      response.sendFile(asset, { root, maxAge: '1h' });
    });
  }
  return router;
}

const fresh = (type: string, content: string) => (request: Request, response: Response) => {
  noteRoute(request, `/api${request.path}`);
  response.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy });
  response.type(type).send(content);
};
