import { createRequire } from 'node:module';
import path from 'node:path';
import { type Response, Router } from 'express';
import { documentOf } from './openapi.js';
import type { Route } from './route.js';

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

const page = (publicPath: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Steady API</title>
    <link rel="icon" href="${publicPath}/api/docs/favicon-32x32.png">
    <link rel="stylesheet" href="${publicPath}/api/docs/swagger-ui.css">
    <script src="${publicPath}/api/docs/swagger-ui-bundle.js" defer></script>
    <script src="${publicPath}/api/docs/start.js" defer></script>
  </head>
  <body>
    <div id="swagger-ui"></div>
  </body>
</html>
`;

const start = (publicPath: string) => `const ui = SwaggerUIBundle({
  url: '${publicPath}/api/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null, // by default it would send the document's address to swagger.io
  onComplete() {
    // Windows of the playground answer with their session, and tell when it changes.
    const playground = new BroadcastChannel('steady${publicPath}:session');
    playground.onmessage = ({ data: { session } }) => {
      const token = { name: 'token', schema: { type: 'http', scheme: 'bearer' }, value: session?.token };
      if (session) ui.authActions.authorize({ token });
    };
    playground.postMessage({ asks: true });
  },
});
`;

/** The files of the package that the page needs; no others are served. */
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves `/api/openapi.json`, and its page `/api/docs`. */
export function apiDocument(routes: Route[], publicPath = ''): Router {
  const router = Router({ caseSensitive: true });
  const document = JSON.stringify(documentOf(routes, publicPath));
  const root = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

  router.get('/openapi.json', fresh('json', document));
  router.get('/docs', fresh('html', page(publicPath)));
  router.get('/docs/start.js', fresh('js', start(publicPath)));
  for (const asset of assets) {
    router.get(`/docs/${asset}`, (_request, response) => response.sendFile(asset, { root, maxAge: '1h' }));
  }
  return router;
}

const fresh = (type: string, content: string) => (_request: unknown, response: Response) => {
  response.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy });
  response.type(type).send(content);
};
