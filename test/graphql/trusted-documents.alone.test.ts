import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { ConfigError } from '../../src/config.js';
import { readTrustedDocuments } from '../../src/graphql/trusted-documents.js';
import { startService, temporaryFolder } from '../support/process.js';

const schema = declaredSchema();
const hashOf = (document: string) => createHash('sha256').update(document).digest('hex');
const ME = '{ me { id } }';

function manifest(content: unknown): string {
  const file = temporaryFolder();
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const listing = (...documents: string[]) =>
  Object.fromEntries(documents.map((document) => [hashOf(document), document]));

function faultsOf(file: string): string[] {
  try {
    readTrustedDocuments(file, schema);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('A manifest of trusted documents', () => {
  it('lists documents by their SHA-256, as GraphQL Code Generator writes it', () => {
    const documents = readTrustedDocuments(manifest(listing(ME)), schema);
    expect(documents.documentFor({ documentId: `sha256:${hashOf(ME)}` })).toEqual({ query: ME });
  });

  it('may be a list of operations, as the tool of Apollo writes it', () => {
    const operations = [{ id: hashOf(ME), name: 'Me', type: 'query', body: ME }];
    const file = manifest({ format: 'apollo-persisted-query-manifest', version: 1, operations });
    const request = { extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(ME) } } };
    expect(readTrustedDocuments(file, schema).documentFor(request)).toEqual({ query: ME });
  });

  it('is joined by what the service’s own page asks, which alone may be sent as text', () => {
    const own = 'query Reach { __typename }';
    const documents = readTrustedDocuments(manifest(listing(ME)), schema, [own]);
    expect(documents.documentFor({ query: own })).toEqual({ query: own });
    expect(documents.documentFor({ documentId: `sha256:${hashOf(own)}` })).toEqual({ query: own });
    for (const query of [ME, `${own} `])
      expect(documents.documentFor({ query })).toMatchObject({
        refusal: { extensions: { code: 'DOCUMENT_NOT_TRUSTED' } },
      });
    const other = { query: own, documentId: `sha256:${hashOf(ME)}` };
    expect(documents.documentFor(other)).toHaveProperty('refusal');
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '{', /^GRAPHQL_TRUSTED_DOCUMENTS cannot be read: .*JSON/],
    ['JSON of another kind', [ME], / lists no documents\. See docs\/trusted-documents\.md\.$/],
    ['an empty list', {}, / lists no documents\. See docs\/trusted-documents\.md\.$/],
    [
      'an empty list of operations',
      { operations: [] },
      / lists no documents\. See docs\/trusted-documents\.md\.$/,
    ],
    ['a document that is no text', { abc: 1 }, /: the document "abc" is not text\.$/],
    ['a wrong hash', { [hashOf('{ a }')]: ME }, /: the document "\w{64}" has another SHA-256 than that\.$/],
    ['no GraphQL', listing('{ me'), /: the document "\w{64}" is not GraphQL: Syntax Error: .*[^.]\.$/],
    ['an unknown field', listing('{ you }'), / is not valid: Cannot query field "you" on type "Query"\.$/],
    ['a missing argument', listing('{ task { id } }'), / is not valid: .*"id" of type "ID!" is required/],
  ])('is refused with one line: %s', (_what, content, fault) => {
    expect(faultsOf(manifest(content))).toEqual([expect.stringMatching(fault)]);
  });

  it('is refused when it is not there', () => {
    expect(faultsOf('/nowhere/manifest.json')).toEqual([
      expect.stringMatching(/^GRAPHQL_TRUSTED_DOCUMENTS cannot be read: ENOENT.*\/nowhere\/manifest\.json/),
    ]);
  });

  it('stops the start of the service with a line for every fault', async () => {
    const service = startService({
      DATA_DIR: temporaryFolder(),
      GRAPHQL_TRUSTED_DOCUMENTS: manifest(listing('{ you }', ME, '{ they }')),
    });
    expect(await service.exited).toBe(1);
    expect(service.output).toBe(
      ['you', 'they']
        .map(
          (field) =>
            `GRAPHQL_TRUSTED_DOCUMENTS: the document "${hashOf(`{ ${field} }`)}" is not valid: Cannot query field "${field}" on type "Query".\n`,
        )
        .join(''),
    );
  });
});
