import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  Kind,
  type Location,
  type SourceLocation,
  visit,
} from 'graphql';
import { BoundedCache, bytesOfText, ownText } from './bounded-cache.js';
import { MAX_NAME, tooComplex } from './limits.js';

/** In bytes: what valid documents may take that are kept to be carried out again; the same for the texts of persisted ones. */
const MOST_KEPT = 30 * 1_024 * 1_024;

/** In bytes: what a node takes besides its text. */
const NODE = 256;

/** Of what is wrong with the values of variables so much is told: each fault would repeat all of them. */
export const execution = { maxCoercionErrors: 10 };

/** Where a node stands in its text: set in the place of `loc`. */
const PLACE = Symbol('place');

type Detached = { -readonly [Key in 'loc']?: Location | undefined } & {
  value?: unknown;
  [PLACE]?: SourceLocation;
};

/**
 * Cuts a document off from its text, which graphql-js ties to every node of it, and refuses names of unheard-of
 * length. Otherwise whoever keeps the document keeps a text of any size, and each error looks through all lines
 * of the text for its place.
 */
export function detach(document: DocumentNode): void {
  visit(document, {
    enter: (node) => {
      if (node.kind === Kind.NAME && node.value.length > MAX_NAME)
        throw tooComplex('name length', MAX_NAME, node.value.length);
      const part: Detached = node;
      if (part.loc) {
        const { line, column } = part.loc.startToken;
        part[PLACE] = { line: Math.max(line, 1), column: Math.max(column, 1) }; // 0 for a document as a whole
        delete part.loc;
      }
      if (typeof part.value === 'string') part.value = ownText(part.value);
    },
  });
}

/** Of the nodes that an error is about; undefined where none is known. */
export function placesOf({ locations, nodes = [] }: GraphQLError): readonly SourceLocation[] | undefined {
  const places = nodes.flatMap((node) => (node as Detached)[PLACE] ?? []);
  return places.length > 0 ? places : locations;
}

const bytesOfDocument = (document: DocumentNode): number => {
  let bytes = 0;
  visit(document, {
    enter: (node: ASTNode) => {
      bytes += NODE + ('value' in node && typeof node.value === 'string' ? bytesOfText(node.value) : 0);
    },
  });
  return bytes;
};

/** Documents that have been found valid, by the hash of their text. */
export const validDocuments = (): BoundedCache<DocumentNode> => new BoundedCache(MOST_KEPT, bytesOfDocument);

/** Texts that clients name by their hash. */
export const persistedTexts = (): BoundedCache<string> => new BoundedCache(MOST_KEPT, bytesOfText, ownText);
