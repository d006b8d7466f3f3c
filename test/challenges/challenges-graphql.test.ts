import { expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const ANSWER = '{ challenge { id status } user { id activeChallenge { id status } } }';
const LIST = `query ($status: ChallengeStatus, $first: Int, $after: String) {
  challenges(status: $status, first: $first, after: $after) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount
  }
}`;

const accept = async (ana: TestUser, templateId = 1) =>
  (await ana.query(`mutation { acceptChallenge(templateId: ${templateId}) ${ANSWER} }`)).acceptChallenge;

const ends = {
  COMPLETED: async (ana: TestUser, id: string) =>
    (await ana.query(`mutation { completeChallenge(id: ${id}) ${ANSWER} }`)).completeChallenge,
  ABANDONED: async (ana: TestUser, id: string) =>
    (await ana.query(`mutation { abandonChallenge(id: ${id}) ${ANSWER} }`)).abandonChallenge,
};

it.each(['COMPLETED', 'ABANDONED'] as const)(
  'The user in an answer has the ACTIVE challenge, and none once it is %s',
  async (status) => {
    const { ana } = await worldOf('ana');
    const { challenge, user } = await accept(ana);
    expect(user).toEqual({ id: ana.id, activeChallenge: { id: challenge.id, status: 'ACTIVE' } });
    expect(await ends[status](ana, challenge.id)).toEqual({
      challenge: { id: challenge.id, status },
      user: { id: ana.id, activeChallenge: null },
    });
  },
);

it('challenges lists those of one status when asked, page by page, each once, whatever is added meanwhile', async () => {
  const { ana, clock } = await worldOf('ana');
  const newestFirst = { COMPLETED: [] as string[], ABANDONED: [] as string[] };
  for (const day of [1, 2, 3])
    for (const status of ['COMPLETED', 'ABANDONED'] as const) {
      const { id } = (await accept(ana, day)).challenge;
      newestFirst[status].unshift(id);
      await ends[status](ana, id);
      clock.advance({ hours: 12 });
    }
  const active = (await accept(ana)).challenge.id;
  const list = async (variables: object) => (await ana.query(LIST, variables)).challenges;
  const idsOf = (page: { nodes: { id: string }[] }) => page.nodes.map(({ id }) => id);
  const found = await list({ status: 'COMPLETED' });
  expect([idsOf(found), found.totalCount]).toEqual([newestFirst.COMPLETED, 3]);
  expect(idsOf(await list({ status: 'ACTIVE' }))).toEqual([active]);
  expect(await list({ status: null })).toMatchObject({ totalCount: 7 });
  const seen: string[] = [];
  for (let after: string | null = null, isMore = true; isMore; ) {
    const page = await list({ status: 'ABANDONED', first: 1, after });
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    if (seen.length === 1) await ends.ABANDONED(ana, active);
    seen.push(...idsOf(page));
    after = page.pageInfo.endCursor;
    isMore = page.pageInfo.hasNextPage;
  }
  expect(seen).toEqual(newestFirst.ABANDONED);
});
