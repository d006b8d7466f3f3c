import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';

/** An environment variable: its name, the values it allows, and its default. */
export interface Setting<T> {
  name: string;
  /** What it says or allows, for docs/operate.md. */
  about: string;
  allowed: string;
  /** Undefined for a value that is not allowed. */
  read: (text: string) => T | undefined;
  fallback: T;
  /** What has taken its place. It still has its effect, and no page tells of it. */
  instead?: string;
  /** What holds where nobody sets it, if that is more than the fallback. */
  unset?: string;
  secret?: boolean;
  /** Keeps white space: a trimmed secret would be another one, and log everyone out. */
  verbatim?: boolean;
  /** Explains why a value is not allowed, where that says more than `allowed`. */
  problemIn?: (text: string) => string | undefined;
}

export type ValuesOf<Settings> = {
  [Key in keyof Settings]: Settings[Key] extends Setting<infer Value> ? Value : never;
};

/** The values of the settings of features: each adds its own to it. */
// biome-ignore lint/suspicious/noEmptyInterface: merged with what features declare
export interface SettingsOfFeatures {}

export const whole = (
  name: string,
  about: string,
  fallback: number,
  [min, max]: readonly [number, number],
): Setting<number> => ({
  ...{ name, about },
  allowed: `a whole number from ${min} to ${max}`,
  read: (text) => (/^\d{1,15}$/.test(text) && +text >= min && +text <= max ? +text : undefined),
  fallback,
});

/** A number of processes, or `auto` for one on each core that may be used. */
export const processes = (
  name: string,
  about: string,
  fallback: number,
  max: number,
): Setting<number | 'auto'> => {
  const number = whole(name, about, fallback, [1, max]);
  return {
    ...number,
    allowed: `${number.allowed}, or auto`,
    read: (text) => (text === 'auto' ? text : number.read(text)),
  };
};

export const coresUpTo = (max: number) => Math.min(max, availableParallelism());

export const oneOf = <T extends string>(
  name: string,
  about: string,
  fallback: T,
  values: readonly T[],
): Setting<T> => ({
  ...{ name, about },
  allowed: `one of ${values.join(', ')}`,
  read: (text) => values.find((value) => value === text),
  fallback,
});

export const url = (name: string, about: string, allowed: string): Setting<string | undefined> => ({
  ...{ name, about },
  allowed,
  read: baseUrl,
  fallback: undefined,
});

export const text = (name: string, about: string, fallback?: string): Setting<string | undefined> => ({
  ...{ name, about },
  allowed: 'any text',
  read: (value) => value,
  fallback,
});

function isProxy(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true;
  const [address = '', range, ...rest] = text.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  const isRange =
    range === undefined || (/^\d{1,3}$/.test(range) && bits !== undefined && +range >= 1 && +range <= bits);
  return bits !== undefined && isRange && rest.length === 0;
}

/** Does not allow `true`, which would trust the X-Forwarded-For of any client. */
export const trustedProxies = (value: string) => {
  if (/^\d{1,2}$/.test(value)) return Number(value);
  const list = value.split(',').map((part) => part.trim());
  return list.every(isProxy) ? list : undefined;
};

const isOrigin = (value: string) =>
  /^https?:\/\/[^*]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value;

/** Origins as browsers send them: no path, no trailing slash, no default port. `*` is not allowed. */
export const listOfOrigins = (value: string) => {
  const list = value.split(',').map((part) => part.trim());
  return list.every(isOrigin) ? list : undefined;
};

/** An address that others add paths to: without a slash at its end, a query, a fragment, or a name and password. */
export function baseUrl(text: string): string | undefined {
  if (!/^https?:\/\/[^\s?#@]+$/.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href.replace(/\/+$/, '');
}

const PATH = /^(\/\w[\w.~-]*)+$/;
const OWN_PATH = /^\/(api|graphql|graphql-playground|health|account|page|auth|check-in|calendar|mcp)(\/|$)/i;

/** Without a slash at its end. */
export const pathOf = (url: string | undefined): string =>
  url === undefined ? '' : new URL(url).pathname.replace(/\/$/, '');

export function publicPath(text: string): string | undefined {
  const path = text.replace(/\/$/, '');
  return path === '' || (PATH.test(path) && !OWN_PATH.test(path)) ? path : undefined;
}

export function publicUrl(text: string): string | undefined {
  const url = baseUrl(text);
  return publicPath(pathOf(url)) === undefined ? undefined : url;
}

export interface Listener {
  host: string;
  port: number;
}

/** A port of this machine alone, or of an address. */
export function listener(text: string): Listener | undefined {
  const [, host = '127.0.0.1', digits = ''] = /^(?:([\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return port >= 1 && port <= 65_535 ? { host: host.replaceAll(/[[\]]/g, ''), port } : undefined;
}

/** Takes the host of an address or of a URL; in a URL, IPv6 stands in brackets. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
