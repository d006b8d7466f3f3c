import { maxHeaderSize } from 'node:http';

/** Stands for what cannot be a header, because of its type or its length. It is kept, so it must be short. */
const NO_HEADER = 'none that could be sent';

/** Finds the header among the parameters of a connection, in any spelling. */
export function authorizationIn(parameters: Record<string, unknown> = {}): string | undefined {
  const name = Object.keys(parameters).find((each) => each.toLowerCase() === 'authorization');
  const authorization = name && parameters[name];
  if (authorization === undefined || authorization === null || authorization === '') return undefined;
  const isPossible = typeof authorization === 'string' && authorization.length <= maxHeaderSize;
  return isPossible ? authorization : NO_HEADER;
}
