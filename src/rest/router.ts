import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Callers } from '../accounts/callers.js';
import { refusalsOnly } from '../errors.js';
import { addressOf, type Trust } from '../http/address.js';
import { type BodyReader, hasBody, jsonBody, type WithBody } from '../http/body.js';
import type { Shortcuts } from '../http/routing.js';
import type { Handler } from '../http/server.js';
import { endWith } from '../http/writing.js';
import { asRequest, networkOf } from '../request.js';
import type { Caller } from '../scopes.js';
import { noteCaller, noteRoute } from '../telemetry/trail.js';
import { inputFrom } from '../validation.js';
import { type AnswerError, notAnObject } from './errors.js';
import { type FileSettings, Files } from './files.js';
import { sendLong } from './long-lists.js';
import { type AnyRoute, isDownload, isUpload, type Names, type Route, templateOf } from './route.js';
import { isLong } from './serializers.js';

export interface RouterSettings extends FileSettings {
  callers: Callers;
  bodyLimit: number;
  trusts: Trust;
  fail: AnswerError;
}

type Params = Record<string, string>;

type Serve = (request: WithBody, response: ServerResponse, params: Params) => Promise<void>;

/** What the metrics count apart. */
export const countedRoutes = (routes: readonly AnyRoute[]) =>
  routes.map((route) => ({
    method: route.method.toUpperCase(),
    route: templateOf(route),
    status: route.status,
  }));

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
    const template = templateOf(route);
    router[method](template, (request, response) => handle(request, response, request.params as Params));
    const url = `${method.toUpperCase()} ${template}`;
    if (!path.includes(':')) shortcuts.push([url, (request, response) => handle(request, response, {})]);
  }
  return { router, shortcuts };
}

function serving(settings: RouterSettings): (route: AnyRoute) => Serve {
  const { callers, accounts, bodyLimit, databaseTime, trusts } = settings;
  const files = new Files(settings);
  const parseJson = jsonBody(bodyLimit);
  return (route) => {
    const template = templateOf(route);
    return async (request, response, params) => {
      noteRoute(request, template);
      response.setHeader('Cache-Control', 'no-store');
      // The order matters: first the token and its scopes, then the input, then the rules of the services.
      const isOpen = route.access === 'OPEN';
      const { authorization } = request.headers;
      const caller = isOpen ? NOBODY : await callers.require(authorization, route.access);
      const { userId } = caller;
      const address = addressOf(request, trusts);
      const asker = userId || networkOf(address);
      noteCaller(request.trail, userId || null, address);
      if (isDownload(route)) return files.send(response, route, userId);
      if (isUpload(route)) return files.take(request, response, route, userId);
      const body = await inputOf(request, response, route, parseJson).catch(async (error: unknown) => {
        const refuseGoneAccounts = () => refusalsOnly(accounts.assertExists(userId));
        if (!isOpen) await asRequest(databaseTime, refuseGoneAccounts, asker);
        throw error;
      });
      const handle = () => route.handle({ userId, caller, address, params, body });
      const work = isOpen ? handle : () => accounts.unlessGone(userId, handle);
      await asRequest(databaseTime, work, asker).then((answer) => {
        response.statusCode = route.status;
        for (const [name, value] of Object.entries(route.answerHeaders?.(answer) ?? {}))
          response.setHeader(name, value);
        const serializer = route.answer;
        if (isLong(serializer) && serializer.next(answer))
          return sendLong(response, serializer, answer, (next) => asRequest(databaseTime, next, asker));
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        endWith(response, serializer.write(answer));
      });
    };
  };
}

const NOBODY: Caller = { userId: '', scopes: null, expiresAt: null, tokenId: '', generation: 0 };

/** The body and the headers, under the property names of the services. */
async function inputOf(
  request: WithBody,
  response: ServerResponse,
  { body: type, names = {}, headers = {} }: Route,
  parseJson: BodyReader,
): Promise<object> {
  if (!type) return {};
  const body = await bodyOf(request, response, parseJson);
  const fromHeaders = Object.entries(headers).map(([header, property]) => [
    property,
    request.headers[header.toLowerCase()],
  ]);
  return inputFrom(type, Object.fromEntries([...Object.entries(renamed(body, names)), ...fromHeaders]));
}

async function bodyOf(request: WithBody, response: ServerResponse, parseJson: BodyReader): Promise<object> {
  await new Promise<void>((resolve, reject) => {
    parseJson(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  if (request.body === undefined) {
    if (hasBody(request)) throw Object.assign(new Error('Not JSON'), { status: 415 });
    return {};
  }
  if (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body)) {
    throw notAnObject();
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
