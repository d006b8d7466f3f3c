import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { BoundedCache, detach, KnownDocument, nodesIn, validDocuments } from '../../src/graphql/documents.js';
import { memoryTakenBy } from '../support/memory.js';
import { world } from '../support/world.js';

it('No more of a request is kept than is needed: documents are kept without the text around them', async () => {
  const { rest } = await world();
  const send = (i: number) =>
    rest.post('/graphql', {
      query: `{ tasks(after: "a text of many letters ${i}") { totalCount } } # ${`${i} `.repeat(60_000)}`,
    });
  await send(0);
  const kept = await memoryTakenBy(async () => {
    for (let i = 100; i < 130; i += 1) expect((await send(i)).body).toHaveProperty('data');
  });
  expect(kept).toBeLessThan(3 * 1_024 * 1_024); // of 7 million that were sent
});

describe('A bounded cache', () => {
  const texts = () => new BoundedCache<string>(5_000, (text) => text.length);
  const large = 'x'.repeat(1_000);

  it('makes room for what is new, beginning with what was used longest ago, and counts a value once', () => {
    const cache = texts();
    for (const key of ['a', 'b', 'c']) cache.set(key, large);
    cache.get('a');
    for (let i = 0; i < 100; i += 1) cache.set('d', large);
    const known = (...keys: string[]) => keys.filter((key) => cache.get(key) !== undefined).join('');
    expect(known('a', 'b', 'c', 'd')).toBe('acd');
    cache.delete('d');
    cache.set('e', large);
    expect(known('a', 'c', 'd', 'e')).toBe('ace');
    cache.set('larger than all of it', 'x'.repeat(6_000));
    expect(known('larger than all of it')).toBe('');
  });

  it.each([
    ['its key', 'k'.repeat(600), 3],
    ['what it takes however small it is', '', 9],
  ])('counts of an entry %s', (_what, key, atMost) => {
    const cache = texts();
    const keys = Array.from({ length: 100 }, (_, i) => `${i} ${key}`);
    for (const each of keys) cache.set(each, '');
    expect(keys.filter((each) => cache.get(each) !== undefined).length).toBeLessThanOrEqual(atMost);
  });

  it('counts a document with every node and every text of it', () => {
    const documents = validDocuments();
    const fields = 'task(id: "1") { id } '.repeat(400);
    const keys = Array.from({ length: 26 }, (_, i) => `${i}`);
    for (const key of keys) {
      const document = parse(`{ ${fields} taskIds(after: "${'x'.repeat(500_000)}") { id } }`);
      detach(document);
      documents.set(key, document);
    }
    const kept = keys.filter((key) => documents.get(key) !== undefined).length;
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(25);
  });
});

it('A known document has plans of no more fields than nodes, and a subscription, which is kept, none', () => {
  const operations = Array.from({ length: 200 }, (_, i) => `query q${i} { ...All }`).join(' ');
  const fields = 'nodes { ...Row } edges { node { ...Row } }';
  const document = parse(`${operations}
    fragment All on Query { a: tasks { ${fields} } b: tasks { ${fields} } }
    fragment Row on Task { id title points completions { nodes { id points } edges { node { id } } } }`);
  const known = new KnownDocument(declaredSchema(), document, nodesIn(document));
  const sizes = Array.from({ length: 200 }, (_, i) => known.operationFor(`q${i}`)?.plan?.size ?? 0);
  const planned = sizes.reduce((sum, size) => sum + size, 0);
  expect(planned).toBeGreaterThan(nodesIn(document) / 2);
  expect(planned).toBeLessThanOrEqual(nodesIn(document));
  const subscription = parse('subscription { challengeChanged { id } }');
  const kept = new KnownDocument(declaredSchema(), subscription, 100);
  expect(kept.operationFor()).toMatchObject({ plan: undefined });
});
