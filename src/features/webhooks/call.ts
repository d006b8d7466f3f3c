import { Guard } from '../../base/outgoing/guard.js';
import { causeOf, HttpClient, isTimeout } from '../../base/outgoing/http-client.js';
import { rulesOf, type WebhookHosts } from './address.js';
import { headersOf, type Message } from './message.js';
import type { DeliveryError } from './webhook.entity.js';

/** What a receiver has answered, or why it has not. */
export interface Called {
  status: number | null;
  error: DeliveryError | null;
  /** In milliseconds, where the answer says so. */
  retryAfterMs: number;
  /** For the log of the operator. */
  cause?: string;
}

/** Calls the addresses of users: each on a connection of its own, to an address that was checked for it. */
export class Caller {
  private readonly client: HttpClient;

  constructor(hosts: WebhookHosts) {
    this.client = new HttpClient({ guard: new Guard(rulesOf(hosts)), keepAlive: false });
  }

  async call({ url, secret }: { url: string; secret: string }, message: Message, now: Date): Promise<Called> {
    const headers = headersOf(message, secret, now);
    try {
      const { status, retryAfter } = await this.client.send(new URL(url), { headers, body: message.body });
      const isTaken = status >= 200 && status < 300;
      return { status, error: isTaken ? null : 'REFUSED', retryAfterMs: millisecondsIn(retryAfter, now) };
    } catch (error) {
      const cause = causeOf(error);
      return { status: null, error: isTimeout(error) ? 'TIMEOUT' : 'UNREACHABLE', retryAfterMs: 0, cause };
    }
  }

  close(): void {
    this.client.close();
  }
}

/** `Retry-After` has seconds or a date. */
function millisecondsIn(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now.getTime());
}
