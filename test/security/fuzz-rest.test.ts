import { describe, it } from 'vitest';
import { fuzz, Tally, watchedWorld } from '../support/fuzz.js';
import { curlOf, exchange } from '../support/fuzz-http.js';
import { planOf } from '../support/fuzz-rest.js';
import { Api, judge } from '../support/fuzz-rest-answers.js';

describe('Whatever is sent to REST', () => {
  it('is answered in JSON as the API document says, and touches nobody else', { timeout: 0 }, async () => {
    const here = await watchedWorld();
    const { base, rest } = here;
    const api = new Api((await rest.get('/api/openapi.json')).body);
    const tally = new Tally();
    await fuzz(here, planOf(api.operations), async ({ operation, build }, scene, note) => {
      const { request, isMisdirected } = build(scene);
      note(curlOf(base, request));
      const answer = await exchange(base, request);
      note(`  ${answer.status} ${answer.text.slice(0, 500)}`);
      judge(api, isMisdirected ? null : operation, request, answer, scene);
      tally.add([operation.endpoint], answer.status < 300 && !isMisdirected);
    });
    const all = api.operations.map(({ endpoint }) => endpoint);
    tally.assertEnough({ asked: all, carriedOut: all });
  });
});
