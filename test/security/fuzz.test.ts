import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, it } from 'vitest';
import { fuzz, Tally, watchedWorld } from '../support/fuzz.js';
import { kindsOf, planOf as planOfGraphql } from '../support/fuzz-graphql.js';
import { judge as judgeGraphql } from '../support/fuzz-graphql-answers.js';
import { curlOf, exchange } from '../support/fuzz-http.js';
import { planOf as planOfRest } from '../support/fuzz-rest.js';
import { Api, judge as judgeRest } from '../support/fuzz-rest-answers.js';
import { lineOf, send } from '../support/fuzz-transports.js';

describe('Whatever is sent is answered in the form of its API, and touches nobody else:', {
  timeout: 0,
}, () => {
  it('REST', async () => {
    const here = await watchedWorld();
    const { base, rest } = here;
    const api = new Api((await rest.get('/api/openapi.json')).body);
    const tally = new Tally();
    await fuzz(here, planOfRest(api.operations), async ({ operation, build }, scene, note) => {
      const { request, isMisdirected } = build(scene);
      note(curlOf(base, request));
      const answer = await exchange(base, request);
      note(`  ${answer.status} ${answer.text.slice(0, 500)}`);
      judgeRest(api, isMisdirected ? null : operation, request, answer, scene);
      tally.add([operation.endpoint], answer.status < 300 && !isMisdirected);
    });
    const all = api.operations.map(({ endpoint }) => endpoint);
    tally.assertEnough({ asked: all, carriedOut: all });
  });

  it('GraphQL', async () => {
    const here = await watchedWorld();
    const { base, graphql } = here;
    const schema = buildClientSchema(await graphql.request<IntrospectionQuery>(getIntrospectionQuery()));
    const tally = new Tally();
    await fuzz(here, planOfGraphql(schema), async ({ build }, scene, note) => {
      const built = build(scene);
      note(lineOf(base, built));
      const outcome = await send(base, built, () => scene.stir());
      note(`  ${outcome.http?.status ?? ''} ${JSON.stringify(outcome.results).slice(0, 500)}`);
      tally.add(built.kinds, judgeGraphql(outcome, scene));
    });
    const all = kindsOf(schema);
    // Which mutations succeed is up to the state they meet.
    tally.assertEnough({ asked: all, carriedOut: all.filter((kind) => !kind.startsWith('Mutation.')) });
  });
});
