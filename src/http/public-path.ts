import type { IncomingMessage, Server } from 'node:http';

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
