import http from 'node:http';
import https from 'node:https';
import { suspended } from '../request.js';
import type { Guard } from './guard.js';

export interface Sent {
  status: number;
  /** As the other side wrote it. */
  retryAfter: string | undefined;
}

interface Sending {
  method?: string;
  headers?: Record<string, string | number>;
  body?: string | Buffer;
}

/** For all of it, from the look-up of the name to the head of the answer. */
const PATIENCE_MS = 10_000;

/** Connections to one host: more than are sent to it at a time, or what hangs would keep the others waiting here. */
const CONNECTIONS = 128;

/** Sends requests to receivers. It follows no redirects, and reads no answer but its head. */
export class HttpClient {
  private readonly agents;
  private readonly guard: Guard | undefined;
  private readonly keepsAlive: boolean;

  /**
   * With `keepAlive`, the other side may close a connection as a request is sent: then the caller repeats it. Without,
   * each request has a connection of its own, to an address that was checked for it.
   */
  constructor({ guard, keepAlive = true }: { guard?: Guard; keepAlive?: boolean } = {}) {
    this.guard = guard;
    this.keepsAlive = keepAlive;
    const options = { keepAlive, maxSockets: CONNECTIONS, timeout: 30_000 };
    this.agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  }

  /** A request that tries an address holds no permit meanwhile: when it answers is up to whoever has given it. */
  send(url: URL, sending: Sending = {}): Promise<Sent> {
    return suspended(() => this.sendOn(url, sending));
  }

  private async sendOn(url: URL, { method = 'POST', headers = {}, body = '' }: Sending): Promise<Sent> {
    this.guard?.assertMayConnect(url);
    const isSecure = url.protocol === 'https:';
    const options = {
      method,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      agent: this.agents[isSecure ? 'https:' : 'http:'],
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(this.guard && { lookup: this.guard.lookupFor(url) }),
    };
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(url, options, (response) => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        if (!this.keepsAlive) return void response.destroy();
        let read = 0;
        // Read to its end, so that the connection can be used again, unless there is too much.
        response.on('data', (part: Buffer) => {
          read += part.length;
          if (read > MOST_READ) response.destroy();
        });
        response.on('error', () => {});
      });
      // Asked for by nobody: without this, neither an answer nor an error would ever come.
      request.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        resolve({ status: statusCode, retryAfter: undefined });
      });
      request.on('error', reject);
      request.on('close', () => reject(new Error('The connection was closed')));
      request.end(body);
    });
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }
}

const MOST_READ = 65_536;

export const isTimeout = (error: unknown): boolean =>
  ['TimeoutError', 'AbortError'].includes((error as Error).name);

/** Why a receiver did not take a message, in words that hold no secret and tell nothing of the network. */
export function reasonOf(error: unknown): string {
  return isTimeout(error)
    ? `The receiver did not answer within ${PATIENCE_MS / 1_000} seconds`
    : 'The receiver cannot be reached';
}

/** Why a receiver did not take a message, for the operator. */
export function causeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOTPUBLIC') return 'The receiver has an address that is not public';
  return `${reasonOf(error)}${typeof code === 'string' ? ` (${code})` : ''}`;
}

/** Whether it is certain that the receiver has not got the request. */
export const neverArrived = (error: unknown): boolean =>
  ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTPUBLIC'].includes(
    String((error as NodeJS.ErrnoException).code),
  );
