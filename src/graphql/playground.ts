import { join } from 'node:path';
import express from 'express';
import { projectFile } from '../base/files/project.js';
import { builtText, hashedFiles } from '../http/routing.js';
import { noteRoute } from '../telemetry/trail.js';

// Monaco and GraphiQL insert style elements, and load fonts and pictures from data URLs. Everything else is blocked,
// including other hosts. Workers obey the header of their own script.
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

/** Serves GraphiQL to people who open `/graphql` in a browser. */
export function playground(publicPath = '', folder = projectFile('dist/playground')): express.Router {
  const router = express.Router();
  const page = () => pageIn(folder, publicPath);

  router.use(
    '/graphql-playground/assets',
    hashedFiles(join(folder, 'assets'), policy, '/graphql-playground/assets/:file'),
  );

  router.get('/graphql', async (req, res, next) => {
    res.vary('Accept');
    const isPageRequest = req.headers.accept?.includes('text/html') && !('query' in req.query);
    if (!isPageRequest) return next();
    noteRoute(req, '/graphql');

    const html = await page();
    res.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    if (html === undefined)
      res.status(404).type('text').send('The playground is not built yet: run `npm run build`.\n');
    else res.type('html').send(html);
  });

  return router;
}

/** With the paths of its files as the browser has to ask for them. Undefined if it is not built. */
async function pageIn(folder: string, publicPath: string): Promise<string | undefined> {
  const html = await builtText(join(folder, 'index.html'));
  return html?.replaceAll('"./assets/', `"${publicPath}/graphql-playground/assets/`);
}
