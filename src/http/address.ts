import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/** The trusted proxies: the number of hops counted from here, or their addresses; undefined trusts none. */
export type TrustedProxies = number | string[] | undefined;

export type Trust = (address: string, hops: number) => boolean;

/** For Express's setting `trust proxy`, and for requests that bypass Express. */
export const trust = (proxies: TrustedProxies): Trust =>
  Array.isArray(proxies) ? proxyaddr.compile(proxies) : (_address, hops) => hops < (proxies ?? 0);

/** The IP address of the client, as Express determines it. */
export const addressOf = (request: IncomingMessage, trusts: Trust): string =>
  proxyaddr(request, trusts) ?? '';
