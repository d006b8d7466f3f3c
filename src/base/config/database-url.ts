import { accessSync, constants } from 'node:fs';

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** Describes the problem without quoting the URL, which contains a password. */
export function problemInUrl(text: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(text))
    return 'is not valid, but must be a URL that begins with postgres://';
  if (SEVERAL_HOSTS.test(text)) return 'names several hosts, but must name one: see docs/scaling.md';
  if (!URL.canParse(text)) return `is not valid: a port is a number up to 65535, and ${RESERVED}`;
  const { username, password, hostname, port, pathname, hash, searchParams } = new URL(text);
  if (![username, password, hostname, pathname].every(isEncoded)) {
    return 'is not valid: a % in a user name, a password or a database name is written %25';
  }
  if (hash || /[/@]/.test(pathname.slice(1))) return `is not valid: ${RESERVED}`;
  if (pathname.length < 2)
    return `names no database, as in postgres://user:password@host/database; ${RESERVED}`;
  if (![port, searchParams.get('port') ?? ''].every(isPort))
    return 'is not valid: a port is a number from 1 to 65535';
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode)) {
    return `has an unknown sslmode, but must have one of ${SSL_MODES.join(', ')}`;
  }
  if (mode === 'verify-ca' && !searchParams.get('sslrootcert'))
    return 'has sslmode=verify-ca without the file of that CA: add sslrootcert';
  const unreadable = FILES.find((name) => !isReadable(searchParams.get(name)));
  return unreadable && `names a file in ${unreadable} that cannot be read`;
}

/** Those that our driver knows. */
const PARAMETERS = [
  ...['sslmode', 'sslnegotiation', 'uselibpqcompat', ...FILES],
  ...['host', 'port', 'user', 'password', 'database', 'options', 'client_encoding', 'replication'],
  ...['application_name', 'fallback_application_name', 'keepalives'],
];

/** Parameters in the address that have no effect, and may be mistakes. */
export const strangeParametersIn = (url: string | undefined): string[] =>
  url ? [...new Set(new URL(url).searchParams.keys())].filter((name) => !PARAMETERS.includes(name)) : [];

/** libpq would try one after the other; our driver would look for one of that name. */
const SEVERAL_HOSTS = /^\w+:\/\/([^/?#]*@)?[^/?#]*,|[?&]host=[^&#]*(,|%2c)/i;

const RESERVED = 'in a user name or password, @ is written %40, / %2F, ? %3F and # %23';

export function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const isPort = (port: string) => port === '' || (/^\d{1,5}$/.test(port) && +port >= 1 && +port <= 65_535);

function isReadable(file: string | null): boolean {
  try {
    if (file) accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
