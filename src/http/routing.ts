import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server } from 'node:http';
import express, { type RequestHandler } from 'express';
import { reasonOfStatus } from '../base/errors.js';
import { noteRoute } from '../telemetry/trail.js';
import { ERROR_REASON, endWithJson, type Handler } from './answers.js';
import { formRefusals } from './server.js';

/** The path itself, or one below it. */
const isBelow = (url: string, path: string) =>
  url.startsWith(path) &&
  (url.length === path.length || url[path.length] === '/' || url[path.length] === '?');

/** A request may name its host in its first line, as requests to a proxy do. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Takes the public path away from requests before anything reads their URL. A proxy may also have taken it away, and
 * health checks that do not come through the proxy never have it.
 */
export function servedBelow(server: Server, path: string): void {
  if (path === '') return;
  const strip = (request: IncomingMessage) => {
    const url = request.url?.replace(ORIGIN, '') ?? '';
    if (!isBelow(url, path)) return;
    const rest = url.slice(path.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
  };
  for (const event of ['request', 'upgrade']) server.prependListener(event, strip);
}

/** Serves built files whose names contain a hash of their content. */
export const hashedFiles = (folder: string, policy: string, route: string): RequestHandler =>
  express.static(folder, {
    immutable: true,
    maxAge: '1y',
    index: false,
    redirect: false,
    setHeaders: (response) => {
      noteRoute(response.req, route);
      response.setHeader('Content-Security-Policy', policy);
    },
  });

/** Undefined if it is not built. */
export async function builtText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const [status, error] = formRefusals.notFound;

export const notFound: Handler = (_request, response) => {
  response.setHeader(ERROR_REASON, reasonOfStatus(status));
  endWithJson(response, status, { error });
};

/** Express would answer OPTIONS in plain text. */
export const withoutOptions: Handler = (request, response, next) =>
  request.method === 'OPTIONS' ? notFound(request, response, next) : next();
