import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { groupsOf } from '../request.js';

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

/** Addresses at which clouds give away the secrets of a machine. */
const SECRETS = new BlockList();
for (const address of ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])
  SECRETS.addAddress(address, 'ipv4');
SECRETS.addAddress('fd00:ec2::254', 'ipv6');
// Translators and tunnels, which may lead to any of them.
for (const net of ['64:ff9b:1::/48', '2001::/32']) {
  const [address = '', bits] = net.split('/');
  SECRETS.addSubnet(address, Number(bits), 'ipv6');
}

/** An address of IPv4 that one of IPv6 leads to, by the last or other bytes of it. */
function embeddedIn(address: string): string | undefined {
  const groups = groupsOf(address).map((group) => Number.parseInt(group, 16));
  const at = (place: number) =>
    [groups[place] ?? 0, groups[place + 1] ?? 0].flatMap((each) => [each >> 8, each & 255]);
  if (groups[0] === 0x2002) return at(1).join('.');
  const isMapped = groups.slice(0, 4).every((group) => group === 0) && [0, 0xffff].includes(groups[4] ?? 0);
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b;
  return isMapped || isTranslated ? at(6).join('.') : undefined;
}

/** Whether nobody is ever sent there, whatever is allowed. */
export function isSecret(address: string): boolean {
  if (isIP(address) !== 6) return SECRETS.check(address, 'ipv4');
  const inside = embeddedIn(address);
  return SECRETS.check(address, 'ipv6') || (inside !== undefined && SECRETS.check(inside, 'ipv4'));
}

/** Without the brackets of IPv6 in a URL. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** In milliseconds, of one server, and twice as long the second time. */
const DNS_PATIENCE = { timeout: 2_500, tries: 2 };

/** In milliseconds, of all servers: less than a request may take. */
const MOST_PATIENCE = 7_500;

export interface Rules {
  /** Whether an address may be connected to for a URL. */
  allows: (url: URL, address: string) => boolean;
  /** Whether the operator has named the host of a URL. Without it, each counts as named. */
  isNamed?: (url: URL) => boolean;
}

/**
 * Guards connections to addresses that users give: a name is resolved once, every address of it is checked, and only
 * those are connected to.
 */
export class Guard {
  private readonly asking = new Map<string, Promise<LookupAddress[]>>();

  constructor(
    private readonly rules: Rules,
    private readonly newResolver = () => new Resolver(DNS_PATIENCE),
  ) {}

  /** For a URL whose host is an address, which is never looked up. */
  assertMayConnect(url: URL): void {
    const host = bareHost(url);
    if (isIP(host) && !this.mayConnect(url, host)) throw new NotPublicError();
  }

  /** For connections, in place of the usual look-up. */
  lookupFor =
    (url: URL): LookupFunction =>
    (hostname, options, callback) => {
      this.addressesOf(hostname, url).then(
        (addresses) => {
          const [first] = addresses;
          if (!first) return callback(new Error('No address was found'), '', 0);
          if (!addresses.every(({ address }) => this.mayConnect(url, address)))
            return callback(new NotPublicError(), '', 0);
          if (options.all) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
    };

  private mayConnect(url: URL, address: string): boolean {
    return !isSecret(address) && this.rules.allows(url, address);
  }

  /** Those who ask at the same time share one look-up. */
  private addressesOf(hostname: string, url: URL): Promise<LookupAddress[]> {
    const asked = this.asking.get(hostname);
    if (asked) return asked;
    const { isNamed = () => true } = this.rules;
    const found = isNamed(url) ? lookup(hostname, { all: true }) : this.addressesByServers(hostname);
    const asking = found.finally(() => this.asking.delete(hostname));
    this.asking.set(hostname, asking);
    return asking;
  }

  /**
   * The system's own look-up takes a thread, of which the process has few, and a user may give names whose servers
   * never answer. So only the operator's names are looked up by it: hosts files and networks at home know those.
   */
  private async addressesByServers(hostname: string): Promise<LookupAddress[]> {
    const resolver = this.newResolver(); // reads anew which servers there are
    AbortSignal.timeout(MOST_PATIENCE).addEventListener('abort', () => resolver.cancel());
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    const found = (family: 4 | 6, answer: PromiseSettledResult<string[]>) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
    return [...found(4, four), ...found(6, six)];
  }
}
