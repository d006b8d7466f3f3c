import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** Media types of an answer, in Apollo's order of preference when the client has none. */
export const MEDIA_TYPES = [
  'application/json; charset=utf-8',
  'application/graphql-response+json; charset=utf-8',
];

const OF_ERRORS = 'application/graphql-response+json';

/**
 * The media type of an answer with an error status. A client that names the one of GraphQL takes plain JSON with such
 * a status for the answer of a proxy, and does not read it.
 */
export const typeOfError = ({ headers }: IncomingMessage): string =>
  `${headers.accept?.includes(OF_ERRORS) ? OF_ERRORS : 'application/json'}; charset=utf-8`;

/** How many headers are remembered, and how long one of them may be. Clients send few different ones. */
const MOST = 100;
const LONGEST = 256;

/** Which of some media types a client prefers. Reading its header takes longer than most parts of a request. */
export class Preference {
  private readonly known = new Map<string, string | false>();

  constructor(private readonly types: string[]) {}

  /** Undefined if the request has to be asked. */
  knownOf({ headers }: IncomingMessage): string | false | undefined {
    return this.known.get(headers.accept ?? '');
  }

  of(request: Request): string | false {
    const { accept = '' } = request.headers;
    const known = this.knownOf(request);
    if (known !== undefined) return known;
    const preferred = request.accepts(this.types) as string | false;
    if (this.known.size < MOST && accept.length <= LONGEST) this.known.set(accept, preferred);
    return preferred;
  }
}
