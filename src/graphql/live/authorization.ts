import { maxHeaderSize } from 'node:http';

/**
 * Finds the header among the parameters of a connection, in any spelling. Refuses one longer than a real header could
 * be, because it is kept.
 */
export function authorizationIn(parameters: Record<string, unknown> = {}): unknown {
  const name = Object.keys(parameters).find((each) => each.toLowerCase() === 'authorization');
  const authorization = name && parameters[name];
  return typeof authorization === 'string' && authorization.length <= maxHeaderSize
    ? authorization
    : undefined;
}
