import webPush from 'web-push';
import { Guard, isPublic } from '../../../base/outgoing/guard.js';
import { causeOf, HttpClient } from '../../../base/outgoing/http-client.js';
import { type Delivery, isTaken, type Notice, type Receiver, refused, type Sender } from './message.js';

export interface PushKeys {
  publicKey: string;
  privateKey: string;
}

export const newPushKeys = (): PushKeys => webPush.generateVAPIDKeys();

/** The push services of browsers. */
const KNOWN = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

const matches = (host: string, pattern: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;

const HTTPS_PORT = '443';

/** Without a port, a pattern means that of https. */
const partsOf = (pattern: string): [name: string, port: string] => {
  const [name = '', port = HTTPS_PORT] = pattern.split(':');
  return [name, port];
};

const isNamed = (host: string, patterns: readonly string[]) =>
  patterns.some((pattern) => matches(host.toLowerCase(), partsOf(pattern)[0]));

const isAmong = (host: string, port: string, patterns: readonly string[]) =>
  isNamed(
    host,
    patterns.filter((pattern) => partsOf(pattern)[1] === port),
  );

/** A push service forgets what a device has not fetched by then. */
const LIFETIME_SECONDS = 4 * 3_600;

/** As browsers show it by themselves (Declarative Web Push), or by the worker of the page. */
export function pushBody({ id, title, text, language, url, done, taskIds, day, ...notice }: Notice): string {
  const { icon, colour } = notice;
  return JSON.stringify({
    web_push: 8030,
    notification: {
      title: icon ? `${icon} ${title}` : title,
      body: text,
      lang: language,
      tag: id,
      navigate: url ?? '/',
      ...(done && { actions: [{ action: 'done', title: done.label, navigate: done.url }] }),
      data: { day, tasks: taskIds.slice(0, 50), ...(done && { done: done.url }), ...(colour && { colour }) },
    },
  });
}

interface PushSettings {
  /** Hosts of push services that the operator has added. */
  hosts: readonly string[];
  /** Whom a push service turns to: an https address, or a mailto. */
  subject: string;
  keys: () => Promise<PushKeys>;
}

/** Web Push: `web-push` signs and encrypts, and we send. */
export class PushSender implements Sender {
  private readonly client: HttpClient;

  constructor(private readonly settings: PushSettings) {
    this.client = new HttpClient({
      guard: new Guard({
        allows: ({ hostname }, address) => isPublic(address) || isNamed(hostname, settings.hosts),
      }),
    });
  }

  async send({ address, p256dh, auth }: Receiver, notice: Notice): Promise<Delivery> {
    if (!isPushEndpoint(address, this.settings.hosts))
      return { taken: false, error: 'The push service is not known here', again: false };
    const { publicKey, privateKey } = await this.settings.keys();
    const subscription = { endpoint: address, keys: { p256dh: p256dh ?? '', auth: auth ?? '' } };
    let details: webPush.RequestDetails;
    try {
      details = webPush.generateRequestDetails(subscription, pushBody(notice), {
        vapidDetails: { subject: this.settings.subject, publicKey, privateKey },
        TTL: LIFETIME_SECONDS,
        urgency: 'high',
        topic: notice.id.replaceAll('-', ''),
      });
    } catch {
      return { taken: false, error: 'The keys of the browser are none', ended: true, again: false };
    }
    const { 'Content-Length': _, ...headers } = details.headers as Record<string, string>;
    try {
      const { status } = await this.client.send(new URL(address), { headers, body: details.body ?? '' });
      if (isTaken(status)) return { taken: true };
      if (status !== 404 && status !== 410) return notTaken(refused(status));
      return { taken: false, error: 'The browser has ended it', ended: true, again: true };
    } catch (error) {
      return notTaken(causeOf(error));
    }
  }

  close(): void {
    this.client.close();
  }
}

/** Whatever the cause: the user has given the address, and must not find out what answers where. */
const notTaken = (cause: string): Delivery => ({
  taken: false,
  error: 'The push service has not taken it',
  cause,
  again: true,
});

/** An endpoint is an address that a user gives: it must be that of a push service. */
export function isPushEndpoint(text: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== 'https:' || username || password) return false;
  return isAmong(hostname, port || HTTPS_PORT, [...KNOWN, ...hosts]);
}
