import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';

/** The trusted proxies: the number of hops counted from here, or their addresses; undefined trusts none. */
export type TrustedProxies = number | string[] | undefined;

export type Trust = (address: string, hops: number) => boolean;

/** For Express's setting `trust proxy`, and for requests that bypass Express. */
export const trust = (proxies: TrustedProxies): Trust =>
  Array.isArray(proxies) ? proxyaddr.compile(proxies) : (_address, hops) => hops < (proxies ?? 0);

/** Some proxies name the port as well: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+)):\d{1,5}$/i;

/**
 * The IP address of the client, as Express determines it. A proxy that is trusted may hand on what a client has written:
 * what is no address is not taken for one.
 */
export function addressOf(request: IncomingMessage, trusts: Trust): string {
  const said = proxyaddr(request, trusts) ?? '';
  const [, ip6, ip4] = WITH_PORT.exec(said) ?? [];
  const address = ip6 ?? ip4 ?? said;
  return isIP(address) ? address : (request.socket.remoteAddress ?? '');
}

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const firstOf = (header: string | string[] | undefined) =>
  String(header ?? '')
    .split(',', 1)[0]
    ?.trim() ?? '';

/** The scheme and the host that the client has asked, as far as a trusted proxy or the request tells them. */
export function originOf({ headers, socket }: IncomingMessage, trusts: Trust): string {
  const told = (name: string) =>
    headers[name] !== undefined && trusts(socket.remoteAddress ?? '', 0) ? firstOf(headers[name]) : '';
  const scheme =
    /^https?$/.exec(told('x-forwarded-proto'))?.[0] ?? ('encrypted' in socket ? 'https' : 'http');
  const host = [told('x-forwarded-host'), headers.host ?? ''].find((each) => HOST.test(each));
  return `${scheme}://${host ?? `localhost:${socket.localPort}`}`;
}

/** Whom requests name as the proxies that they come through, and who of them is believed. */
export class Proxies {
  readonly trusts: Trust;
  /** A request came through a proxy, or says so, and no setting says what to make of it. */
  unbelieved: string | undefined;

  constructor(
    named: TrustedProxies,
    private readonly log: Logger,
  ) {
    const believes = trust(named);
    // Asked about the nearest one only where the request names more than that.
    this.trusts = (address, hops) => {
      const isBelieved = believes(address, hops);
      if (named === undefined && hops === 0 && !isBelieved) this.note(address);
      return isBelieved;
    };
  }

  private note(address: string): void {
    if (this.unbelieved !== undefined) return;
    this.unbelieved = address;
    this.log.warn(
      { address },
      'A request says that it came through a proxy, and TRUST_PROXY names none: if it did, everybody behind it counts as one address',
    );
  }
}
