import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { Refusal, refusalsOnly } from '../base/errors.js';
import { asRequest, networkOf } from '../base/request.js';
import type { Access, Caller } from '../base/scopes.js';
import { inputFrom, namesIn } from '../base/validation.js';
import { addressOf, type Trust } from '../http/address.js';
import { endWith, type Handler, IGNORED_FIELDS } from '../http/answers.js';
import { hasBody, jsonBody, type ReadJson, type WithBody } from '../http/body.js';
import type { Shortcuts } from '../http/server.js';
import { noteCaller, noteRoute } from '../telemetry/trail.js';
import { type AnswerError, endWithError, notAnObject } from './errors.js';
import { type FileSettings, Files } from './files.js';
import { sendLong } from './long-lists.js';
import {
  type AnyRoute,
  type Download,
  isFile,
  isLink,
  isUpload,
  type LinkRoute,
  pathBelowApi,
  type Route,
  templateOf,
  type Upload,
} from './route.js';
import { isLong } from './serializer.js';

/** Who may come in. */
export interface Callers {
  require(authorization: unknown, access: Access): Caller | Promise<Caller>;
}

export interface RouterSettings extends FileSettings {
  callers: Callers;
  bodyLimit: number;
  trusts: Trust;
  fail: AnswerError;
}

type Params = Record<string, string>;

type Serve = (request: WithBody, response: ServerResponse, params: Params) => Promise<void>;

export interface RestRoutes {
  router: Router;
  /** The routes without parameters. */
  shortcuts: Shortcuts;
}

export function restRoutes(routes: AnyRoute[], settings: RouterSettings): RestRoutes {
  const router = Router({ caseSensitive: true });
  const shortcuts: [methodAndUrl: string, handler: Handler][] = [];
  const serveOn = serving(settings);
  for (const route of routes) {
    const { method, path } = route;
    const serve = serveOn(route);
    const handle = (request: IncomingMessage, response: ServerResponse, params: Params) =>
      void serve(request, response, params).catch((error) => settings.fail(error, request, response));
    const paths = [...new Set([templateOf(route), `/api${pathBelowApi(route)}`])];
    router[method](paths, (request, response) => handle(request, response, request.params as Params));
    if (path.includes(':')) continue;
    for (const each of paths)
      shortcuts.push([
        `${method.toUpperCase()} ${each}`,
        (request, response) => handle(request, response, {}),
      ]);
  }
  router.use(otherMethods(routes));
  return { router, shortcuts };
}

/** Of an address that has others. */
function otherMethods(routes: readonly AnyRoute[]): RequestHandler {
  const known = routes.flatMap((route) =>
    [templateOf(route), `/api${pathBelowApi(route)}`].map((path) => ({
      pattern: new RegExp(`^${path.replaceAll(/:\w+|\{\w+\}/g, '[^/]+')}/?$`),
      methods: route.method === 'get' ? ['GET', 'HEAD'] : [route.method.toUpperCase()],
    })),
  );
  return ({ path }, response, next) => {
    const methods = new Set(known.flatMap((each) => (each.pattern.test(path) ? each.methods : [])));
    if (methods.size === 0) return next();
    response.setHeader('Allow', [...methods].sort().join(', '));
    endWithError(response, 405, `Use ${[...methods].sort().join(' or ')} here`);
  };
}

const link =
  (route: LinkRoute, { databaseTime, trusts }: RouterSettings): Serve =>
  (request, response, { token = '' }) => {
    const address = addressOf(request, trusts);
    const userId = route.userOf(token);
    noteCaller(request.trail, userId ?? null, address);
    const serve = () => route.serve({ request, response, token });
    return asRequest(databaseTime, serve, userId ?? networkOf(address));
  };

function serving(settings: RouterSettings): (route: AnyRoute) => Serve {
  const { callers, accounts, bodyLimit, databaseTime, trusts } = settings;
  const files = new Files(settings);
  const readJson = jsonBody(bodyLimit);
  // The order matters: first the token and its scopes, then the input, then the rules of the services.
  const callerOf = async (request: WithBody, { access }: AnyRoute) => {
    const { authorization } = request.headers;
    const caller = access === 'OPEN' ? NOBODY : await callers.require(authorization, access);
    const address = addressOf(request, trusts);
    noteCaller(request.trail, caller.userId || null, address);
    return { caller, userId: caller.userId, address };
  };
  const file =
    (route: Download | Upload): Serve =>
    async (request, response) => {
      const { userId } = await callerOf(request, route);
      return isUpload(route)
        ? files.take(request, response, route, userId)
        : files.send(response, route, userId);
    };
  const json = (route: Route): Serve => {
    const input = inputOf(route, readJson);
    const isOpen = route.access === 'OPEN';
    const serializer = route.answer;
    return async (request, response, params) => {
      const { caller, userId, address } = await callerOf(request, route);
      const asker = userId || networkOf(address);
      let body: object;
      try {
        body = await input(request, response);
      } catch (error) {
        const refuseGoneAccounts = () => refusalsOnly(accounts.assertExists(userId));
        if (!isOpen) await asRequest(databaseTime, refuseGoneAccounts, asker);
        throw error;
      }
      const handle = () => route.handle({ userId, caller, address, params, body });
      const work = isOpen ? handle : () => accounts.unlessGone(userId, handle);
      const answer = await asRequest(databaseTime, work, asker);
      response.statusCode = route.status;
      for (const [name, header] of Object.entries(route.answerHeaders ?? {})) {
        const value = header.of(answer);
        if (value !== undefined) response.setHeader(name, value);
      }
      if (isLong(serializer) && serializer.next(answer))
        return sendLong(response, serializer, answer, (next) => asRequest(databaseTime, next, asker));
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      endWith(response, serializer.write(answer));
    };
  };
  return (route) => {
    const template = templateOf(route);
    const serve = isLink(route) ? link(route, settings) : isFile(route) ? file(route) : json(route);
    return (request, response, params) => {
      noteRoute(request, template);
      response.setHeader('Cache-Control', 'no-store');
      return serve(request, response, params);
    };
  };
}

const NOBODY: Caller = { userId: '', scopes: null, expiresAt: null, tokenId: '', generation: 0 };

/** Reads the body and the headers, under the property names of the services. */
function inputOf(
  { body: type, names = {}, alsoNames = {}, headers = {} }: Route,
  readJson: ReadJson,
): (request: WithBody, response: ServerResponse) => Promise<object> {
  if (!type) return async () => ({});
  const fromHeaders = Object.entries(headers).map(([header, name]) => [header.toLowerCase(), name] as const);
  const properties = new Map(Object.entries(names));
  const others = [...namesIn(type)].filter((name) => !Object.values({ ...names, ...headers }).includes(name));
  for (const name of others) properties.set(name, name);
  const keyOf = new Map([...properties].map(([key, property]) => [property, key]));
  for (const [key, property] of Object.entries(alsoNames)) properties.set(key, property);
  return async (request, response) => {
    await readJson(request, response);
    const body = objectIn(request);
    const values: Record<string, unknown> = {};
    const ignored: string[] = [];
    for (const [key, value] of Object.entries(body)) {
      const property = properties.get(key);
      const isSaidOtherwise = key in alsoNames && Object.hasOwn(body, keyOf.get(property ?? '') ?? '');
      if (property === undefined || isSaidOtherwise) ignored.push(key);
      else values[property] = value;
    }
    for (const [header, property] of fromHeaders) values[property] = request.headers[header];
    if (ignored.length > 0) response.setHeader(IGNORED_FIELDS, listed(ignored));
    return sayingWhatIsMissing(values, keyOf, () => inputFrom(type, values));
  };
}

/** `Task id must be a whole number` → `Task id is missing: send task_id` */
function sayingWhatIsMissing(values: object, keyOf: ReadonlyMap<string, string>, read: () => object): object {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { kind, reason, details } = error;
    const [[property, message] = ['', '']] = Object.entries(details.fields ?? {});
    const key = keyOf.get(property);
    if (key === undefined || property in values) throw error;
    const label = message.replace(/ must .*$/s, '');
    throw new Refusal(kind, reason, `${label} is missing: send ${key}`, details);
  }
}

/** In a header: at most so many names, of at most so many characters. */
const MOST_NAMED = 10;
const LONGEST_NAME = 50;

/** Names in a header. What is not plain is encoded as in an address. */
function listed(names: readonly string[]): string {
  const plain = names
    .slice(0, MOST_NAMED)
    .map((name) => encodeURIComponent(name.slice(0, LONGEST_NAME).toWellFormed()));
  return [...plain, ...(names.length > MOST_NAMED ? ['...'] : [])].join(', ');
}

/** The body, once it has been read. */
function objectIn(request: WithBody): object {
  const { body } = request;
  if (body === undefined) {
    if (hasBody(request)) throw Object.assign(new Error('Not JSON'), { status: 415 });
    return {};
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw notAnObject();
  return body;
}
