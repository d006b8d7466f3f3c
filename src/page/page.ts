import { existsSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express, { type Request, type RequestHandler } from 'express';
import type { Config } from '../base/config.js';
import { projectFile } from '../base/files/project.js';
import { builtText, hashedFiles } from '../http/routing.js';
import { noteRoute } from '../telemetry/trail.js';

/** Of the page, its scripts and its service worker. `trusted-types` names the one policy that registers the worker. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types steady-worker',
].join('; ');

/** What keeps its name when its content changes. */
const FIXED = [
  'icon.svg',
  'icon-:size.png', // or its colour
  'screenshot-phone.png',
  'screenshot-desk.png',
];

/** Serves the page for people at `/`, with all that it needs; nothing where it is not built. */
export function page(
  { publicPath, signUp, backdateHours }: Pick<Config, 'publicPath' | 'signUp' | 'backdateHours'>,
  folder = projectFile('dist/page'),
): express.Router {
  const router = express.Router({ caseSensitive: true, strict: true });

  router.use('/page/assets', encoded(join(folder, 'assets')));
  router.use('/page/assets', hashedFiles(join(folder, 'assets'), policy, '/page/assets/:file'));
  for (const name of FIXED) {
    router.get(`/page/${name}`, (request, response, next) => {
      noteRoute(request, '/page/:file');
      response.sendFile(basename(request.path), { root: folder, maxAge: '1h' }, (error) => error && next());
    });
  }
  router.get(
    '/page/manifest.webmanifest',
    fresh(folder, 'manifest.webmanifest', 'application/manifest+json'),
  );
  // The worker lies beside the page, because it may serve only what is below its own path.
  // For browsers it is another one whenever the page is, which has settings in it.
  const openDays = Math.max(1, Math.floor(backdateHours / 24));
  const marked = (script: string) => `${script}// ${signUp} ${openDays}\n`;
  router.get('/service-worker.js', fresh(folder, 'service-worker.js', 'js', marked));
  router.get(
    '/',
    named,
    fresh(folder, 'index.html', 'html', (html) =>
      html
        .replaceAll('"./', `"${publicPath}/page/`)
        .replace('data-sign-up="open"', `data-sign-up="${signUp}"`)
        .replace('data-open-days="7"', `data-open-days="${openDays}"`),
    ),
  );
  return router;
}

/** Where there is no page: browsers ask for the worker of one that they keep, and so learn that it is gone. */
export function pageLeft(folder = projectFile('dist/page')): express.Router {
  return express
    .Router({ caseSensitive: true, strict: true })
    .get('/service-worker.js', fresh(folder, 'leaving-worker.js', 'js'));
}

/** Not to whoever takes the service for a proxy, and asks it for all of an address: `GET http://example.com`. */
const named: RequestHandler = ({ url }, _response, next) => next(url.startsWith('/') ? undefined : 'route');

type Encoding = 'br' | 'gzip';

/** What the client reads and is smallest. */
function encodingFor({ headers }: Request): Encoding | undefined {
  const accepted = headers['accept-encoding'] ?? '';
  const reads = (name: Encoding) =>
    new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted);
  return (['br', 'gzip'] as const).find(reads);
}

/** Has the file sent that the build has compressed. */
function encoded(folder: string): RequestHandler {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return (request, response, next) => {
    const [name = ''] = request.path.slice(1).split('/');
    const encoding = encodingFor(request);
    const packed = `${name}.${encoding === 'br' ? 'br' : 'gz'}`;
    if (names.has(name)) response.vary('Accept-Encoding');
    if (encoding && names.has(name) && names.has(packed)) {
      response.type(extname(name));
      response.setHeader('Content-Encoding', encoding);
      request.url = `/${packed}`;
    }
    next();
  };
}

/** Each text is compressed once. */
function packer(): (text: string, encoding: Encoding) => Buffer {
  const packed = new Map<string, Buffer>();
  return (text, encoding) => {
    const known = packed.get(encoding + text);
    if (known) return known;
    if (packed.size >= MOST_PACKED) packed.clear(); // it was built anew
    const made = encoding === 'br' ? brotliCompressSync(text) : gzipSync(text);
    packed.set(encoding + text, made);
    return made;
  };
}

const MOST_PACKED = 20;

/** Asked for again each time, because its name does not tell its content. */
function fresh(folder: string, name: string, type: string, change = (text: string) => text): RequestHandler {
  const pack = packer();
  return async (request, response, next) => {
    const text = await builtText(join(folder, name));
    if (text === undefined) return next();
    noteRoute(request, request.path);
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
    response.type(type).vary('Accept-Encoding');
    const encoding = encodingFor(request);
    const sent = change(text);
    if (!encoding) return void response.send(sent);
    response.setHeader('Content-Encoding', encoding);
    response.send(pack(sent, encoding));
  };
}
