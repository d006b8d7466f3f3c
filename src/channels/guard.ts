import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Ranges of IPv4 that lead to no public server. */
const PRIVATE = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]) {
  const [network = '', bits] = range.split('/');
  PRIVATE.addSubnet(network, Number(bits), 'ipv4');
}

/** All public addresses of IPv6 are in here, but some of it holds other addresses inside, or none. */
const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');
const NOT_GLOBAL = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  NOT_GLOBAL.addSubnet(network, bits, 'ipv6');

/** Whether an address may be one of a server that everybody can reach. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !PRIVATE.check(address, 'ipv4');
  return family === 6 && GLOBAL.check(address, 'ipv6') && !NOT_GLOBAL.check(address, 'ipv6');
}

class NotPublicError extends Error {
  readonly code = 'ENOTPUBLIC';

  constructor() {
    super('The address is not public');
  }
}

/**
 * Guards connections to addresses that users give: a name is resolved once, every address of it is checked, and only
 * those are connected to. `trusts` names the hosts that the operator has allowed wherever they are.
 */
export class Guard {
  private readonly asking = new Map<string, Promise<LookupAddress[]>>();

  constructor(private readonly trusts: (host: string) => boolean) {}

  /** For a URL whose host is an address, which is never looked up. */
  assertMayConnect({ hostname }: URL): void {
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !isPublic(host) && !this.trusts(hostname)) throw new NotPublicError();
  }

  /** For connections, in place of the usual look-up. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.addressesOf(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const isAllowed = this.trusts(hostname) || addresses.every(({ address }) => isPublic(address));
        if (!first) return callback(new Error('No address was found'), '', 0);
        if (!isAllowed) return callback(new NotPublicError(), '', 0);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

  /** Those who ask at the same time share one look-up: each takes a thread, of which a process has four. */
  private addressesOf(hostname: string): Promise<LookupAddress[]> {
    const asked = this.asking.get(hostname);
    if (asked) return asked;
    const asking = lookup(hostname, { all: true }).finally(() => this.asking.delete(hostname));
    this.asking.set(hostname, asking);
    return asking;
  }
}
