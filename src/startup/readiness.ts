import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.js';

/** In milliseconds: how long one answer may take. */
export const PATIENCE = 3_000;

/** An address that stands for all cannot be asked. */
const ADDRESSES: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where the service with these settings says whether it is ready. */
export function readinessUrl({ host, port }: Config): string {
  const address = ADDRESSES[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}/health/ready`;
}

/** Not by `fetch`, which knows ports that it refuses to ask. Rejects where nobody answers in time. */
export const askReadiness = (url: string) =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(PATIENCE) }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.on('error', reject);
  });
