import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { bareHost, isPublic, isSecret, type Rules } from '../../base/outgoing/guard.js';

/** Where the operator lets webhooks lead. */
export interface WebhookHosts {
  /** Every public address, by https on port 443. */
  isAll: boolean;
  /** Names, and `*.` with what follows it. */
  names: readonly string[];
  ranges: BlockList;
  hasRanges: boolean;
}

const NAME = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/;

/** Undefined where one of them is none. */
export function webhookHosts(text: string): WebhookHosts | undefined {
  const names: string[] = [];
  const ranges = new BlockList();
  let [isAll, hasRanges] = [false, false];
  for (const part of text.split(',').map((each) => each.trim().toLowerCase())) {
    if (part === '*') isAll = true;
    else if (addRange(ranges, part)) hasRanges = true;
    else if (/[\s/:@]/.test(part)) return undefined;
    else {
      const name = part.startsWith('*.') ? `*.${domainToASCII(part.slice(2))}` : domainToASCII(part);
      if (!NAME.test(name)) return undefined;
      names.push(name);
    }
  }
  return { isAll, names, ranges, hasRanges };
}

function addRange(ranges: BlockList, text: string): boolean {
  const [network = '', bits, ...rest] = text.split('/');
  const family = isIP(network);
  if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false;
  const most = family === 4 ? 32 : 128;
  if (Number(bits ?? most) > most) return false;
  ranges.addSubnet(network, Number(bits ?? most), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

const nameIn = (url: URL) => bareHost(url).toLowerCase().replace(/\.$/, '');

const isNamed = ({ names }: WebhookHosts, host: string) =>
  names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));

const isPlainHttps = ({ protocol, port }: URL) => protocol === 'https:' && port === '';

const isInRange = ({ ranges }: WebhookHosts, address: string) =>
  ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Where calls may connect to, and whose names the system looks up. */
export const rulesOf = (hosts: WebhookHosts) =>
  ({
    allows: (url, address) =>
      isNamed(hosts, nameIn(url)) ||
      isInRange(hosts, address) ||
      (hosts.isAll && isPlainHttps(url) && isPublic(address)),
    isNamed: (url) => isNamed(hosts, nameIn(url)),
  }) satisfies Rules;

/** Names that lead to this machine or this network, wherever they are looked up. */
const OF_THIS_NETWORK = /^[^.]*$|(^|\.)(localhost|local|internal|home\.arpa)$/;

/**
 * Whether a URL is refused when it is given, by what is written in it. No name is looked up: whoever gives it could
 * find out by that which names the service's network has.
 */
export function isRefused(hosts: WebhookHosts, text: string): boolean {
  if (!URL.canParse(text)) return true;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username || url.password) return true;
  const host = nameIn(url);
  if (isIP(host)) return isSecret(host) || !rulesOf(hosts).allows(url, host);
  if (host === '') return true;
  if (isNamed(hosts, host)) return false;
  if (OF_THIS_NETWORK.test(host)) return true;
  return !hosts.hasRanges && !(hosts.isAll && isPlainHttps(url));
}
