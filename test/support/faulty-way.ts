import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

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

export interface FaultyWay {
  base: string;
  /** Says for each request what becomes of it. */
  faults: (body: string, request: IncomingMessage) => Fault | undefined;
  /** The bodies of all that came. */
  asked: string[];
  /** What becomes of requests once it is mended. */
  usually: FaultyWay['faults'];
  /** Nothing arrives any more, until `mend`. */
  cut: () => void;
  mend: () => void;
  /** Every connection that is open; new ones work. */
  break: () => void;
  /** Resolves when nothing is under way. */
  quiet: () => Promise<void>;
}

/** The way to a service through a proxy that loses, delays and repeats. */
export async function faultyWayTo(service: string): Promise<FaultyWay> {
  const underWay = new Set<Promise<void>>();
  const server = http.createServer();
  const way: FaultyWay = {
    base: '',
    faults: () => undefined,
    usually: () => undefined,
    asked: [],
    cut: () => {
      way.faults = () => 'lost';
    },
    mend: () => {
      way.faults = way.usually;
    },
    break: () => server.closeAllConnections(),
    quiet: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  server.on('request', (request, response) => {
    const passing = pass(service, way, request, response).catch(() => void response.destroy());
    underWay.add(passing);
    void passing.then(() => underWay.delete(passing));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  way.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return way;
}

const FAILED = JSON.stringify({
  errors: [
    {
      message: 'It failed',
      extensions: { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL', outcome: 'NOT_APPLIED' },
    },
  ],
});

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
  const { headers, status } = answer;
  if (fault === 'unanswered') {
    await answer.text();
    return void response.destroy();
  }
  for (const name of ['content-type', 'error-reason', 'retry-after'])
    if (headers.has(name)) response.setHeader(name, headers.get(name) ?? '');
  response.writeHead(status);
  response.flushHeaders();
  const stream = answer.body;
  if (!stream) return void response.end();
  response.once('close', () => void stream.cancel().catch(() => {}));
  for await (const chunk of stream) response.write(chunk);
  response.end();
}

function forward(service: string, { url = '', method = 'GET', headers }: IncomingMessage, body: string) {
  const { 'content-length': _, host: __, connection: ___, 'transfer-encoding': ____, ...others } = headers;
  return fetch(service + url, { method, headers: others as Record<string, string>, ...(body && { body }) });
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
