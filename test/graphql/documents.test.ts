import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { declaredSchema } from '../../src/app.js';
import { readConfig } from '../../src/config.js';
import { freshDatabase } from '../support/database.js';
import { fill } from '../support/hostile-data.js';
import { climb, documentOf, type Found } from '../support/hostile-documents.js';
import { queriesOf } from '../support/statements.js';
import { world } from '../support/world.js';

// DOCUMENTS_RUNS=500 asks for more; a failure names the seed and the path that do the same again.
const RUNS = Number(process.env.DOCUMENTS_RUNS ?? 12);
const STEPS = 8;

const ROWS = 30;

const REFUSED = { statements: 0, score: -1 };

const schema = declaredSchema();
const { limits } = readConfig({});

async function hostileWorld() {
  const here = await world({ database: await freshDatabase() });
  const { database, newUser } = here;
  const ana = await newUser();
  const ask = async (query: string) => (await ana.rest.post('/graphql', { query })).body;
  const known = await fill(database.query(), { userId: ana.id, rows: ROWS, ask });
  /** Answers the statements that a document takes, and how near they come to its fields. */
  return async (genes: readonly number[]): Promise<Found> => {
    const document = documentOf(schema, known, limits, genes);
    expect(validate(schema, parse(document.query)), document.query).toEqual([]);
    const codes = new Set<string>();
    const asked = await queriesOf(here, async () => {
      const { errors = [] } = await ask(document.query);
      for (const { extensions } of errors) codes.add(extensions.code);
    });
    const statements = asked.length;
    expect(codes, document.query).not.toContain('INTERNAL_SERVER_ERROR');
    if (codes.has('QUERY_TOO_COMPLEX')) return { genes, document, ...REFUSED };
    return { genes, document, statements, score: statements / document.fields };
  };
}

describe('A document that is within the limits', () => {
  it('sends at most as many statements as it has fields, however many rows there are', async () => {
    const measure = await hostileWorld();
    let carriedOut = 0;
    const genes = fc.array(fc.nat(999), { minLength: 10, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(genes, fc.nat(), async (start, seed) => {
        await climb(start, { steps: STEPS, seed }, async (mutant) => {
          const found = await measure(mutant);
          if (found.score >= 0) carriedOut += 1;
          expect(found.statements, found.document.query).toBeLessThanOrEqual(found.document.fields);
          return found;
        });
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(carriedOut).toBeGreaterThan(RUNS);
  });
});
