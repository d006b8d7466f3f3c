import { isEncoded } from '../../base/config/database-url.js';

const TLS = ['off', 'require', 'insecure'] as const;

/** A mail server, as `SMTP_URL` names it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** Whether TLS begins with the connection. */
  isSecure: boolean;
  /** Without one, STARTTLS is used where it is offered, and verified. */
  tls?: (typeof TLS)[number];
  user?: string;
  password?: string;
}

const RESERVED = 'in a user name or password, @ is written %40, / %2F, : %3A, ? %3F, # %23 and % %25';

/** Describes the problem without quoting the URL, which may contain a password. */
export function problemInSmtpUrl(text: string): string | undefined {
  if (!/^smtps?:\/\/\S+$/.test(text))
    return 'is not valid, but must be a URL that begins with smtp:// or smtps://';
  if (!URL.canParse(text)) return `is not valid: a port is a number up to 65535, and ${RESERVED}`;
  const { hostname, port, pathname, hash, username, password, searchParams } = new URL(text);
  const isBare = hostname !== '' && port !== '0' && /^\/?$/.test(pathname) && hash === '';
  if (!isBare || ![username, password].every(isEncoded)) return `is not valid: ${RESERVED}`;
  const known = [...searchParams].every(
    ([name, value]) => name === 'tls' && TLS.some((each) => each === value),
  );
  return known ? undefined : `has something other than tls=${TLS.join(', tls=')} behind its question mark`;
}

export function smtpServerOf(url: string): SmtpServer {
  const { protocol, hostname, port, username, password, searchParams } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const tls = TLS.find((each) => each === searchParams.get('tls'));
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (isSecure ? 465 : 587),
    isSecure,
    ...(tls && { tls }),
    ...(username && { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
  };
}

/** `Steady <habits@example.com>`, or the address alone. */
const SENDER = /^(?:([^<>"\p{Cc}]*) <([^\s<>@"]+@[^\s<>@"]+)>|([^\s<>@"]+@[^\s<>@"]+))$/u;

export interface Sender {
  name: string;
  address: string;
}

export function senderIn(text: string): Sender | undefined {
  const [, name = '', named, bare] = SENDER.exec(text) ?? [];
  const address = named ?? bare;
  return address === undefined ? undefined : { name: name.trim() || 'Steady', address };
}
