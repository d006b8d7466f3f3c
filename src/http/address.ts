import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/** Which proxies are believed: so many, counted from here, or those with these addresses; none without any. */
export type TrustedProxies = number | string[] | undefined;

type Trust = (address: string, hops: number) => boolean;

/** For Express's setting `trust proxy`, and for requests that go around Express. */
export const trust = (proxies: TrustedProxies): Trust =>
  Array.isArray(proxies) ? proxyaddr.compile(proxies) : (_address, hops) => hops < (proxies ?? 0);

/** Where a request comes from, as Express tells it. */
export const addressOf = (request: IncomingMessage, trusts: Trust): string =>
  proxyaddr(request, trusts) ?? '';
