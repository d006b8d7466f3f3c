import { join } from 'node:path';
import express from 'express';

// Monaco and GraphiQL write style elements and carry their fonts and pictures as data.
// Nothing else is let in, and nothing leaves this host. The workers obey the header on their own script.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The GraphiQL page for people who open `/graphql` in a browser, from the folder `vite build` wrote. */
export function playground(folder: string): express.Router {
  const router = express.Router();

  router.use(
    '/graphql-playground/assets',
    express.static(join(folder, 'assets'), {
      immutable: true, // every name carries the hash of what is inside
      maxAge: '1y',
      index: false,
      redirect: false,
      setHeaders: (res) => res.setHeader('Content-Security-Policy', policy),
    }),
  );

  router.get('/graphql', (req, res, next) => {
    res.vary('Accept');
    const isPageRequest = req.headers.accept?.includes('text/html') && !('query' in req.query);
    if (!isPageRequest) return next();

    const headers = { 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' };
    res.sendFile('index.html', { root: folder, headers }, (error) => {
      if (!error || res.headersSent) return;
      if (!('status' in error && error.status === 404)) return next(error);
      res.status(404).type('text').send('The playground is not built yet: run `npm run build`.\n');
    });
  });

  return router;
}
