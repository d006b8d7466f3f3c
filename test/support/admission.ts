import http, { type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type net from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { busyAnswer } from '../../src/app.js';
import { AT_WORK } from '../../src/base/config/fixed.js';
import { admission, largeBodySemaphore, openSemaphore, requestSemaphore } from '../../src/http/admission.js';
import { httpServer } from '../../src/http/server.js';
import { eventually } from './eventually.js';
import { listening } from './listening.js';
import { socketTo } from './raw.js';

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
  /** Whether an earlier request had gone over the same connection. */
  isReused: boolean;
}

/** Nobody is given up for being slow, however busy the machine is, unless a test moves the time. */
export const TIMES = { longestWait: 100_000, longestWork: 100_000 };

export const UNREAD_MS = 100_000;

/** Each connection is somebody else's, unless it says whose it is. */
const ownerOf = ({ headers, socket }: http.IncomingMessage) =>
  headers.authorization ?? `${socket.remotePort}`;

export async function serve(maxRequests: number, handler: RequestListener, origins: string[] = []) {
  const limits = { atWork: AT_WORK, maxRequests, timeouts: TIMES };
  const [semaphore, large] = [requestSemaphore(limits), largeBodySemaphore(limits)];
  const [open, health] = [openSemaphore({ timeouts: TIMES }), openSemaphore({ timeouts: TIMES })];
  const settings = {
    ...{ semaphore, large, open, health, busy: busyAnswer(origins), ownerOf, networkOf: ownerOf },
    longestWorkMs: TIMES.longestWork,
    unreadMs: UNREAD_MS,
  };
  const { server } = httpServer(admission(handler, settings));
  const port = await listening(server);
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = (path: string, body?: Buffer | string, headers = {}) => {
    const answer = new Promise<Answer>((resolve, reject) => {
      const options = { port, path, agent, method: body === undefined ? 'GET' : 'POST', headers };
      const request = http.request(options, (response) => {
        const { statusCode: status, headers } = response;
        text(response).then(
          (body) => resolve({ status, headers, body, isReused: request.reusedSocket }),
          reject,
        );
      });
      request.once('error', reject).end(body);
    });
    answer.catch(() => {}); // what nobody waits for may break off with its test
    return answer;
  };
  const connect = () => socketTo(port);
  let accepted = 0;
  const seen = { requests: 0, bytes: 0 };
  server.on('request', ({ socket }) => {
    seen.requests += 1;
    seen.bytes = Math.max(seen.bytes, socket.bytesRead);
  });
  server.on('connection', () => {
    accepted += 1;
  });
  const crowd = async (count: number) => {
    const sockets = Array.from({ length: count }, connect);
    await eventually(() => accepted === count);
    return sockets;
  };
  return { ask, connect, crowd, seen };
}

/** Keeps everybody waiting for a moment, as work does that cannot be interrupted. */
export function work(): void {
  const until = performance.now() + 5;
  while (performance.now() < until);
}

/** Serves nobody until it is told to. */
export function waiting() {
  const responses: ServerResponse[] = [];
  const handler: RequestListener = (_request, response) => {
    responses.push(response);
  };
  const until = (count: number) => eventually(() => responses.length >= count);
  return { responses, handler, until };
}

export const GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n';
export const POST = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';

/** What has come back on each of these connections. */
export function answersTo(sockets: net.Socket[]): string[] {
  const answers = sockets.map(() => '');
  for (const [at, socket] of sockets.entries()) {
    socket.on('data', (chunk) => {
      answers[at] = `${answers[at]}${chunk}`;
    });
  }
  return answers;
}
