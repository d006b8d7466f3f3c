import { globSync, readFileSync } from 'node:fs';
import { buildSchema, NoDeprecatedCustomRule, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { examples } from '../../src/graphql/playground/examples.js';
import * as list from '../../src/page/client/documents.js';
import * as later from '../../src/page/client/later-documents.js';
import * as reminders from '../../src/page/client/reminders-documents.js';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));

/** Why a document is none for a new client. */
const faultsOf = (text: string) => validate(schema, parse(text), [NoDeprecatedCustomRule]).map(String);

const read = (file: string) => readFileSync(file, 'utf8');

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, part]) => part ?? '');

const documents: Record<string, string[]> = {
  'the pages of documentation': globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md']).flatMap((file) => [
    ...found(read(file), /"query": ?("(?:[^"\\]|\\.)*")/g).map((text): string => JSON.parse(text)),
    ...found(read(file), /```graphql\n([\s\S]*?)```/g),
  ]),
  'the examples': globSync('examples/*/documents.ts').flatMap((file) =>
    found(read(file), /graphql\(`([\s\S]*?)`\)/g),
  ),
  'the tabs of the playground': examples.map(({ query }) => query),
  'the page': [list, later, reminders]
    .flatMap(Object.values)
    .filter((each) => typeof each === 'string' && /^(query|mutation|sub)/.test(each)),
};

describe.each(Object.entries(documents))('In %s', (_where, texts) => {
  it('nothing deprecated is asked for', () => {
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.flatMap(faultsOf)).toEqual([]);
  });
});

it('What is deprecated is found', () => {
  expect(faultsOf('{ me { streak { days } } }')).toHaveLength(1);
});
