import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type Location,
  type SourceLocation,
  visit,
} from 'graphql';
import { ownText } from '../own-text.js';
import { BoundedCache, bytesOfText } from './bounded-cache.js';
import { MAX_NAME, tooComplex } from './limits.js';

/** In bytes: the size of the cache of valid documents, and of the cache of persisted texts. */
const CACHE_LIMIT = 30 * 1_024 * 1_024;

/** In bytes: the overhead of a node. */
const NODE = 256;

/** graphql-js would report every error in the variables, and each report repeats them all. */
export const execution = { maxCoercionErrors: 10 };

/** Holds the line and column of a node, which replace `loc`. */
const LOCATION = Symbol('location');

type Detached = { -readonly [Key in 'loc']?: Location | undefined } & {
  value?: unknown;
  [LOCATION]?: SourceLocation;
};

/**
 * Detaches a document from its source text, and refuses names of extreme length. graphql-js links every node to the
 * text: a cached document would keep a text of any size in memory, and each error would search all lines of the text
 * for its location.
 */
export function detach(document: DocumentNode): void {
  visit(document, {
    enter: (node) => {
      if (node.kind === Kind.NAME && node.value.length > MAX_NAME)
        throw tooComplex('name length', MAX_NAME, node.value.length);
      const part: Detached = node;
      if (part.loc) {
        const { line, column } = part.loc.startToken;
        part[LOCATION] = { line: Math.max(line, 1), column: Math.max(column, 1) }; // the document node has line 0
        delete part.loc;
      }
      if (typeof part.value === 'string') part.value = ownText(part.value);
    },
  });
}

/** The locations of an error, from its nodes if they have any. */
export function locationsOf({ locations, nodes = [] }: GraphQLError): readonly SourceLocation[] | undefined {
  const found = nodes.flatMap((node) => (node as Detached)[LOCATION] ?? []);
  return found.length > 0 ? found : locations;
}

export const bytesOfDocument = (document: DocumentNode): number => {
  let bytes = 0;
  visit(document, {
    enter: (node: ASTNode) => {
      bytes += NODE + ('value' in node && typeof node.value === 'string' ? bytesOfText(node.value) : 0);
    },
  });
  return bytes;
};

export function nodesIn(document: DocumentNode): number {
  let nodes = 0;
  visit(document, {
    enter: () => {
      nodes += 1;
    },
  });
  return nodes;
}

/** A cache of valid documents, by the hash of their text. */
export const validDocuments = (): BoundedCache<DocumentNode> =>
  new BoundedCache(CACHE_LIMIT, bytesOfDocument);

/** A cache of persisted queries, by the hash of their text. */
export const persistedTexts = (): BoundedCache<string> => new BoundedCache(CACHE_LIMIT, bytesOfText, ownText);
