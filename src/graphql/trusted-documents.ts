import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import { GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { ConfigError } from '../config.js';
import { MEDIA_TYPES } from './context.js';

type Found = { query: string } | { refusal: GraphQLError };

const refused = (message: string): Found => ({
  refusal: new GraphQLError(message, {
    extensions: { code: 'DOCUMENT_NOT_TRUSTED', reason: 'INVALID_INPUT' },
  }),
});

/** With a manifest, only these documents are executed. Keyed by the SHA-256 of their text. */
export class TrustedDocuments {
  private readonly documents: ReadonlyMap<string, string>;
  private readonly own: ReadonlySet<string>;

  /** The service's own page sends the text of its documents: browsers offer no SHA-256 to pages over plain http. */
  constructor(listed: Iterable<[string, string]>, own: readonly string[] = []) {
    this.documents = new Map([...listed, ...own.map((text): [string, string] => [hashOf(text), text])]);
    this.own = new Set(own);
  }

  /** The document that a request names, over any transport, or the reason why there is none. */
  documentFor(request: unknown): Found {
    if (!isRecord(request)) return refused('The request names no trusted document');
    const { query } = request;
    const hash = hashIn(request);
    if (hash === undefined && typeof query === 'string' && this.own.has(query)) return { query };
    if (hash === undefined) return refused('The request names no trusted document');
    const document = this.documents.get(hash);
    if (document === undefined) return refused('The document is none of the trusted ones');
    const isAnother = Boolean(query) && query !== document;
    return isAnother ? refused('The query is not the document of its hash') : { query: document };
  }
}

/** Clients send the hash either as `documentId: "sha256:…"` or in the format of automatic persisted queries. */
function hashIn({ documentId, extensions }: Record<string, unknown>): string | undefined {
  if (typeof documentId === 'string') return /^sha256:([0-9a-f]{64})$/.exec(documentId)?.[1];
  const persisted = isRecord(extensions) ? extensions.persistedQuery : undefined;
  const hash = isRecord(persisted) ? persisted.sha256Hash : undefined;
  return typeof hash === 'string' ? hash : undefined;
}

/**
 * Reads the manifest. A document that this schema cannot serve stops the start, instead of failing at a client's
 * request.
 */
export function readTrustedDocuments(
  file: string,
  schema: GraphQLSchema,
  own: readonly string[] = [],
): TrustedDocuments {
  const entries = entriesOf(manifestIn(file));
  const problems = entries.flatMap(([hash, document]) => {
    const problem = problemOf(hash, document, schema);
    return problem ? [`${SETTING}: the document ${JSON.stringify(hash)} ${problem}.`] : [];
  });
  if (entries.length === 0)
    problems.push(`${SETTING}: ${file} lists no documents. See docs/trusted-documents.md.`);
  if (problems.length > 0) throw new ConfigError(problems);
  return new TrustedDocuments(entries as [string, string][], own);
}

const SETTING = 'GRAPHQL_TRUSTED_DOCUMENTS';

function manifestIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // The message of JSON.parse quotes the file, which may be the wrong one and hold secrets.
    const reason = error instanceof SyntaxError ? `${file} is not JSON` : (error as Error).message;
    throw new ConfigError([
      `${SETTING} cannot be read: ${reason}. Name a manifest: see docs/trusted-documents.md.`,
    ]);
  }
}

/** Accepts `{ "<sha256>": "<document>" }`, and the list of operations that Apollo's tool writes. */
function entriesOf(manifest: unknown): [string, unknown][] {
  if (!isRecord(manifest)) return [];
  const { operations } = manifest;
  if (!Array.isArray(operations)) return Object.entries(manifest);
  return operations.filter(isRecord).map(({ id, body }) => [String(id), body]);
}

function problemOf(hash: string, document: unknown, schema: GraphQLSchema): string | undefined {
  if (typeof document !== 'string') return 'is not text';
  if (hashOf(document) !== hash) return 'has another SHA-256 than that';
  try {
    const [error] = validate(schema, parse(document));
    return error && `is not valid: ${error.message.replace(/\.$/, '')}`;
  } catch (error) {
    return `is not GraphQL: ${(error as Error).message.replace(/\.$/, '')}`;
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces the hash by its document, so that later handlers need not know of hashes. */
export const onlyTrusted =
  (documents: TrustedDocuments): RequestHandler =>
  (request, response, next) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'POST') return next();
    const parameters = new URLSearchParams(queryOf(request.url));
    const found = documents.documentFor(method === 'GET' ? requestIn(parameters) : request.body);
    if ('refusal' in found) {
      const type = request.accepts(MEDIA_TYPES) || 'application/json';
      response.status(type === MEDIA_TYPES[0] ? 200 : 400).set('Cache-Control', 'no-store');
      return response.type(type).json({ errors: [found.refusal] });
    }
    if (method === 'GET') request.url = withQuery(parameters, found.query);
    else request.body = { ...request.body, query: found.query };
    next();
  };

/** `new URL` would throw on a path such as `//`. */
const queryOf = (url: string) => /\?([^#]*)/.exec(url)?.[1] ?? '';

function requestIn(parameters: URLSearchParams): Record<string, unknown> {
  const { extensions, ...others } = Object.fromEntries(parameters);
  try {
    return { ...others, extensions: extensions && JSON.parse(extensions) };
  } catch {
    return others;
  }
}

function withQuery(parameters: URLSearchParams, query: string): string {
  parameters.set('query', query);
  return `/?${parameters}`;
}
