import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, it } from 'vitest';
import { fuzz, Tally, watchedWorld } from '../support/fuzz.js';
import { kindsOf, planOf } from '../support/fuzz-graphql.js';
import { judge } from '../support/fuzz-graphql-answers.js';
import { lineOf, send } from '../support/fuzz-transports.js';

describe('Whatever is sent to GraphQL', () => {
  it('is answered as GraphQL answers, and touches nobody else', { timeout: 0 }, async () => {
    const here = await watchedWorld();
    const { base, graphql } = here;
    const schema = buildClientSchema(await graphql.request<IntrospectionQuery>(getIntrospectionQuery()));
    const tally = new Tally();
    await fuzz(here, planOf(schema), async ({ build }, scene, note) => {
      const built = build(scene);
      note(lineOf(base, built));
      const outcome = await send(base, built, () => scene.stir());
      note(`  ${outcome.http?.status ?? ''} ${JSON.stringify(outcome.results).slice(0, 500)}`);
      tally.add(built.kinds, judge(outcome, scene));
    });
    const all = kindsOf(schema);
    // Which mutations succeed is up to the state they meet.
    tally.assertEnough({ asked: all, carriedOut: all.filter((kind) => !kind.startsWith('Mutation.')) });
  });
});
