import { type Request, type Response, Router } from 'express';
import type { ReasonTable } from '../base/errors.js';
import { projectFile } from '../base/files/project.js';
import { noteRoute } from '../telemetry/trail.js';
import { documentOf } from './openapi.js';
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

/** Files of Swagger UI, which the build puts there. */
const assets = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Serves `/api/openapi.json`, made when it is first asked for, and its page `/api/docs`. */
export function apiDocument(routes: AnyRoute[], reasons: ReasonTable, publicPath = ''): Router {
  const router = Router({ caseSensitive: true });
  let made: string | undefined;
  const document = () => {
    made ??= JSON.stringify(documentOf(routes, reasons, publicPath));
    return made;
  };
  const root = projectFile('dist/swagger');

  router.get('/openapi.json', fresh('json', document));
  router.get(
    '/docs',
    fresh('html', () => page(publicPath)),
  );
  router.get(
    '/docs/start.js',
    fresh('js', () => start(publicPath)),
  );
  for (const asset of assets) {
    router.get(`/docs/${asset}`, (request, response) => {
      noteRoute(request, '/api/docs/:file');
      response.sendFile(asset, { root, maxAge: '1h' });
    });
  }
  return router;
}

const fresh = (type: string, content: () => string) => (request: Request, response: Response) => {
  noteRoute(request, `/api${request.path}`);
  response.set({ 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy });
  response.type(type).send(content());
};

/** The page of the API document. */
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

/**
 * Its script. What answers tell is filled in: the token of a sign-up or log-in, and the id of the newest task or
 * challenge, where the examples of the document have that of somebody else's.
 */
const start = (publicPath: string) => `const ui = SwaggerUIBundle({
  url: '${publicPath}/api/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null, // by default it would send the document's address to swagger.io
  responseInterceptor(response) {
    const learn = response.ok && learners[new URL(response.url).pathname.slice('${publicPath}/api'.length)];
    if (learn) learn(response.body);
    return response;
  },
});

// What is told by an answer, by the path of its operation.
const learners = {
  '/auth/signup': authorize,
  '/auth/login': authorize,
  '/tasks': fillInTask,
  '/tasks/me': (tasks) => fillInTask(tasks.at(-1)?.task),
  '/user-challenges/accept': fillInChallenge,
  '/user-challenges/active': fillInChallenge,
};

function authorize(session) {
  const token = { name: 'token', schema: { type: 'http', scheme: 'bearer' }, value: session.token };
  ui.authActions.authorize({ token });
}

function fillInTask(task) {
  if (!task) return;
  fillIn('/tasks/{taskId}', task.id);
  const value = JSON.stringify({ task_id: task.id }, null, 2);
  const pathMethod = ['/task-completions', 'post'];
  ui.oas3Actions.setRequestBodyValue({ value, pathMethod });
  ui.oas3Actions.setRetainRequestBodyValueFlag({ value: true, pathMethod }); // else opening it clears the body
}

function fillInChallenge(challenge) {
  if (!challenge) return;
  for (const change of ['notes', 'complete', 'abandon']) fillIn('/user-challenges/{id}/' + change, challenge.id);
}

function fillIn(path, id) {
  const parameter = ui.specSelectors.specJson().getIn(['paths', path, 'put', 'parameters', 0]);
  ui.specActions.changeParamByIdentity([path, 'put'], parameter, id);
}
`;
