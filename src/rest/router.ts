import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { AccountService } from '../accounts/account.service.js';
import type { Tokens } from '../accounts/tokens.js';
import { invalid, refusalsOnly, unauthenticated } from '../errors.js';
import { hasBody, jsonBody } from '../http/body.js';
import { endWith } from '../http/writing.js';
import { asRequest } from '../request.js';
import { inputFrom } from '../validation/gate.js';
import { LongLists } from './long-lists.js';
import type { Names, Route } from './route.js';
import { isLong } from './shapes.js';

export interface RouterSettings {
  tokens: Tokens;
  accounts: AccountService;
  bodyLimit: number;
  /** In milliseconds: how long a request may send statements, counted from when its work began. */
  databaseTime: number;
}

export function restRouter(
  routes: Route[],
  { tokens, accounts, bodyLimit, databaseTime }: RouterSettings,
): Router {
  const router = Router({ caseSensitive: true });
  const parseJson = jsonBody(bodyLimit);
  const longLists = new LongLists(databaseTime);

  const serve =
    (route: Route): RequestHandler =>
    async (request, response) => {
      response.set('Cache-Control', 'no-store');
      // The order matters: first the token, then the input, then the rules of the services.
      const userId = route.isOpen ? '' : authenticate(request, tokens);
      const address = request.ip ?? '';
      const asker = userId || address;
      const body = await inputFor(request, response, route, parseJson).catch(async (error: unknown) => {
        const refuseGoneAccounts = () => refusalsOnly(accounts.assertExists(userId));
        if (!route.isOpen) await asRequest(databaseTime, refuseGoneAccounts, asker);
        throw error;
      });
      const params = request.params as Record<string, string>;
      const call = { userId, address, params, body };
      const handle = () => route.handle(call);
      const work = route.isOpen ? handle : () => accounts.unlessGone(userId, handle);
      await asRequest(databaseTime, work, asker).then((answer) => {
        response.status(route.status).set(route.answerHeaders?.(answer) ?? {});
        const shape = route.answer;
        if (isLong(shape) && shape.next(answer)) return longLists.send(response, shape, answer, asker);
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        endWith(response, shape.write(answer));
      });
    };
  const served = routes.map((route) => ({ route, handler: serve(route) }));
  router.use(byPath(served));
  for (const { route, handler } of served) router[route.method](route.path, handler);
  return router;
}

/** Finds a route without parameters by its path. Express would try the routes one after the other. */
function byPath(served: { route: Route; handler: RequestHandler }[]): RequestHandler {
  const plain = served.filter(({ route }) => !route.path.includes(':'));
  const handlers = new Map(
    plain.map(({ route, handler }) => [`${route.method.toUpperCase()} ${route.path}`, handler]),
  );
  return (request, response, next) => {
    const handler = handlers.get(`${request.method} ${request.path}`);
    return handler ? handler(request, response, next) : next();
  };
}

function authenticate(request: Request, tokens: Tokens): string {
  const userId = tokens.authenticate(request.get('authorization'));
  if (userId === null) throw unauthenticated();
  return userId;
}

async function inputFor(
  request: Request,
  response: Response,
  route: Route,
  parseJson: RequestHandler,
): Promise<object> {
  return route.body ? inputFrom(route.body, await inputOf(request, response, route, parseJson)) : {};
}

/** The body and the headers, under the property names of the services. */
async function inputOf(
  request: Request,
  response: Response,
  { names = {}, headers = {} }: Route,
  parseJson: RequestHandler,
): Promise<object> {
  const body = await bodyOf(request, response, parseJson);
  const fromHeaders = Object.entries(headers).map(([header, property]) => [property, request.get(header)]);
  return Object.fromEntries([...Object.entries(renamed(body, names)), ...fromHeaders]);
}

async function bodyOf(request: Request, response: Response, parseJson: RequestHandler): Promise<object> {
  await new Promise<void>((resolve, reject) => {
    parseJson(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  if (request.body === undefined) {
    if (hasBody(request)) throw Object.assign(new Error('Not JSON'), { status: 415 });
    return {};
  }
  if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body)) {
    throw invalid('The body must be a JSON object');
  }
  return request.body;
}

/** Renames keys. A property whose JSON key differs is not accepted under its own name. */
function renamed(body: object, names: Names): object {
  const taken = new Set(Object.values(names));
  return Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => !taken.has(key))
      .map(([key, value]) => [names[key] ?? key, value]),
  );
}
