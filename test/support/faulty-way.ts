import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { listening } from './listening.js';

/** What becomes of a request on its way. */
export type Fault =
  /** It never arrives. */
  | 'lost'
  /** It is carried out, and its answer never arrives. */
  | 'unanswered'
  /** It arrives twice, and the first answer is lost. */
  | 'repeated'
  /** A proxy says in HTML that the service is away. */
  | 'away'
  /** The service says that it failed, and has done nothing. */
  | 'failed'
  | 'late';

export type FaultyWay = Awaited<ReturnType<typeof faultyWayTo>>;

type Faults = (body: string, request: IncomingMessage) => Fault | undefined;

/** The way to a service through a proxy that loses, delays and repeats. */
export async function faultyWayTo(service: string) {
  const underWay = new Set<Promise<void>>();
  const server = http.createServer();
  const none: Faults = () => undefined;
  const way = {
    base: '',
    /** Says for each request what becomes of it. */
    faults: none,
    /** What becomes of requests once it is mended. */
    usually: none,
    /** The bodies of all that came. */
    asked: [] as string[],
    /** Nothing arrives any more, until `mend`. */
    cut: () => {
      way.faults = () => 'lost';
    },
    mend: () => {
      way.faults = way.usually;
    },
    /** Every connection that is open; new ones work. */
    break: () => server.closeAllConnections(),
    /** Resolves when nothing is under way. */
    quiet: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  server.on('request', (request, response) => {
    const passing = pass(service, way, request, response).catch(() => void response.destroy());
    underWay.add(passing);
    void passing.then(() => underWay.delete(passing));
  });
  way.base = `http://127.0.0.1:${await listening(server)}`;
  return way;
}

const extensions = { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL', outcome: 'NOT_APPLIED' };
const FAILED = JSON.stringify({ errors: [{ message: 'It failed', extensions }] });

async function pass(service: string, way: FaultyWay, request: IncomingMessage, response: ServerResponse) {
  const body = await textOf(request);
  way.asked.push(body);
  const fault = way.faults(body, request);
  if (fault === 'lost') return void response.destroy();
  if (fault === 'away') return void response.writeHead(502, { 'content-type': 'text/html' }).end('<p>Away');
  const send = () => forward(service, request, body);
  if (fault === 'failed')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(FAILED);
  if (fault === 'repeated') await (await send()).text();
  if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
  const answer = await send();
  const { headers, status, body: stream } = answer;
  if (fault === 'unanswered') {
    await answer.text();
    return void response.destroy();
  }
  for (const name of ['content-type', 'error-reason', 'retry-after'])
    if (headers.has(name)) response.setHeader(name, headers.get(name) ?? '');
  response.writeHead(status);
  response.flushHeaders();
  if (!stream) return void response.end();
  response.once('close', () => void stream.cancel().catch(() => {}));
  for await (const chunk of stream) response.write(chunk);
  response.end();
}

function forward(service: string, { url = '', method = 'GET', headers }: IncomingMessage, body: string) {
  const { 'content-length': _, host: __, connection: ___, 'transfer-encoding': ____, ...others } = headers;
  return fetch(service + url, { method, headers: others as Record<string, string>, ...(body && { body }) });
}
