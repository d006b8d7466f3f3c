import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { BoundedCache, detach, KnownDocument, nodesIn, validDocuments } from '../../src/graphql/documents.js';
import { firstOf, socketOf } from '../support/live.js';
import { memoryTakenBy } from '../support/memory.js';
import { world } from '../support/world.js';

const MEGABYTE = 1_024 * 1_024;

describe('No more of a request is kept than is needed:', () => {
  it('documents are kept without the text around them', async () => {
    const { rest } = await world();
    const send = (i: number) =>
      rest.post('/graphql', {
        query: `{ tasks(after: "a text of many letters ${i}") { totalCount } } # ${`${i} `.repeat(60_000)}`,
      });
    await send(0);
    const kept = await memoryTakenBy(async () => {
      for (let i = 100; i < 130; i += 1) expect((await send(i)).body).toHaveProperty('data');
    });
    expect(kept).toBeLessThan(3 * MEGABYTE); // of 7 that were sent
  });
});

describe('A bounded cache', () => {
  const texts = () => new BoundedCache<string>(5_000, (text) => text.length);

  it('makes room for what is new, beginning with what was used longest ago', async () => {
    const cache = texts();
    for (const key of ['a', 'b', 'c']) await cache.set(key, 'x'.repeat(1_000));
    await cache.get('a');
    await cache.set('d', 'x'.repeat(1_000));
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)));
    expect(found.map((text) => text?.length)).toEqual([1_000, undefined, 1_000, 1_000]);
  });

  it.each([
    ['its key', 'k'.repeat(600), 3],
    ['what it takes however small it is', '', 9],
  ])('counts of an entry %s', (_what, key, atMost) => {
    const cache = texts();
    for (let i = 0; i < 100; i += 1) cache.set(`${i} ${key}`, '');
    const found = Array.from({ length: 100 }, (_, i) => cache.get(`${i} ${key}`));
    expect(found.filter((text) => text !== undefined).length).toBeLessThanOrEqual(atMost);
  });

  it('counts a value once, however often it is set, and not when it is gone', async () => {
    const cache = texts();
    await cache.set('kept', 'x'.repeat(1_000));
    for (let i = 0; i < 100; i += 1) await cache.set('again', 'x'.repeat(1_000));
    await cache.delete('again');
    await cache.set('other', 'x'.repeat(1_000));
    expect(await cache.get('kept')).toBeDefined();
    await cache.set('larger than all of it', 'x'.repeat(6_000));
    expect(await cache.get('larger than all of it')).toBeUndefined();
  });

  it('counts a document with every node and every text of it', async () => {
    const documents = validDocuments();
    const document = () => {
      const large = parse(
        `{ ${'task(id: "1") { id } '.repeat(400)} taskIds(after: "${'x'.repeat(500_000)}") { id } }`,
      );
      detach(large);
      return large;
    };
    for (let i = 0; i < 40; i += 1) await documents.set(String(i), document());
    const found = await Promise.all(Array.from({ length: 40 }, (_, i) => documents.get(String(i))));
    const kept = found.filter((each) => each !== undefined).length;
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(25);
  });
});

describe('A known document', () => {
  it('has plans of no more fields than it has nodes, however many operations spread its fragments', () => {
    const operations = Array.from({ length: 200 }, (_, i) => `query q${i} { ...All }`).join(' ');
    const fields = 'nodes { ...Row } edges { node { ...Row } }';
    const document = parse(`${operations}
      fragment All on Query { a: tasks { ${fields} } b: tasks { ${fields} } }
      fragment Row on Task { id title points completions { nodes { id points } edges { node { id } } } }`);
    const known = new KnownDocument(declaredSchema(), document, nodesIn(document));
    const plans = Array.from({ length: 200 }, (_, i) => known.operationFor(`q${i}`)?.plan);
    const planned = plans.reduce((sum, plan) => sum + (plan?.size ?? 0), 0);
    expect(planned).toBeGreaterThan(nodesIn(document) / 2);
    expect(planned).toBeLessThanOrEqual(nodesIn(document));
  });
});

describe('A subscription, which is kept as long as it lasts', () => {
  it('has no plan, which would be kept as well', () => {
    const document = parse('subscription { challengeChanged { id } }');
    const known = new KnownDocument(declaredSchema(), document, 100);
    expect(known.operationFor()).toMatchObject({ plan: undefined });
  });

  const padded = (query: string) => `${query} # ${'x'.repeat(20_000)}`;
  const SUBSCRIPTION = padded('subscription { challengeChanged { id } }');

  it('is refused over a WebSocket when it is long', async () => {
    const { newUser } = await world();
    const client = socketOf(await newUser());
    const refused = [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'subscription size' } }];
    await expect(firstOf(client, SUBSCRIPTION)).rejects.toMatchObject(refused);
    expect(await firstOf(client, padded('{ __typename }'))).toEqual({ data: { __typename: 'Query' } });
  });
});
