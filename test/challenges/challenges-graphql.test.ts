import { describe, expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const CHALLENGE = `id template { id title description durationDays createdAt updatedAt } status createdAt
  completedAt notes createdAt updatedAt`;
const USER = 'user { id activeChallenge { id status } }';
const TEMPLATES = '{ challengeTemplates { id title description durationDays createdAt updatedAt } }';
const ACCEPT = `mutation ($id: ID!) { acceptChallenge(templateId: $id) { challenge { ${CHALLENGE} } ${USER} } }`;
const COMPLETE = `mutation ($id: ID!) { completeChallenge(id: $id) { challenge { ${CHALLENGE} } ${USER} } }`;
const ABANDON = `mutation ($id: ID!) { abandonChallenge(id: $id) { challenge { ${CHALLENGE} } ${USER} } }`;
const ACTIVE = `{ activeChallenge { ${CHALLENGE} } me { activeChallenge { ${CHALLENGE} } } }`;
const LIST = `query ($status: ChallengeStatus, $first: Int, $after: String) {
  challenges(status: $status, first: $first, after: $after) {
    nodes { ${CHALLENGE} }
    edges { cursor node { id } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;

const accept = async ({ graphql }: TestUser, id: string | number = 1) =>
  (await graphql.request(ACCEPT, { id })).acceptChallenge;
const end = {
  COMPLETED: async ({ graphql }: TestUser, id: string) =>
    (await graphql.request(COMPLETE, { id })).completeChallenge,
  ABANDONED: async ({ graphql }: TestUser, id: string) =>
    (await graphql.request(ABANDON, { id })).abandonChallenge,
};
const list = async ({ graphql }: TestUser, variables: object = {}) =>
  (await graphql.request(LIST, variables)).challenges;
const ends = ['COMPLETED', 'ABANDONED'] as const;

describe('Challenge templates', () => {
  it('are found one by one, and null when there is none', async () => {
    const { graphql } = (await worldOf('ana')).ana;
    const { challengeTemplates } = await graphql.request(TEMPLATES);
    const find =
      'query ($id: ID!) { challengeTemplate(id: $id) { id title description durationDays createdAt updatedAt } }';
    const { challengeTemplate } = await graphql.request(find, { id: '3' });
    expect(challengeTemplates).toContainEqual(challengeTemplate);
    expect(challengeTemplate.id).toBe('3');
    expect(await graphql.request(find, { id: '999' })).toEqual({ challengeTemplate: null });
  });
});

describe('The user in the answer of a mutation', () => {
  it.each(ends)(
    'has the ACTIVE challenge from acceptChallenge on, and none once it is %s',
    async (status) => {
      const { ana } = await worldOf('ana');
      const none = { activeChallenge: null, me: { activeChallenge: null } };
      expect(await ana.graphql.request(ACTIVE)).toEqual(none);

      const { challenge, user } = await accept(ana, '2');
      expect(challenge.template).toMatchObject({ id: '2', durationDays: 21 });
      expect(user).toEqual({ id: ana.id, activeChallenge: { id: challenge.id, status: 'ACTIVE' } });
      expect(await ana.graphql.request(ACTIVE)).toEqual({
        activeChallenge: challenge,
        me: { activeChallenge: challenge },
      });

      const ended = await end[status](ana, challenge.id);
      expect(ended.challenge).toMatchObject({ id: challenge.id, status, template: challenge.template });
      expect(ended.user).toEqual({ id: ana.id, activeChallenge: null });
      expect(await ana.graphql.request(ACTIVE)).toEqual(none);
    },
  );
});

describe('challenges', () => {
  /** Six of one user: two a day, of which the later ids are the newer ones. */
  async function history() {
    const { ana, clock } = await worldOf('ana');
    const ids: string[] = [];
    for (const status of [...ends, ...ends, ...ends]) {
      const { id } = (await accept(ana, ids.length + 1)).challenge;
      ids.push(id);
      await end[status](ana, id);
      if (ids.length % 2 === 0) clock.advance({ days: 1 });
    }
    return { ana, newestFirst: ids.reverse() };
  }
  const idsOf = (page: { nodes: { id: string }[] }) => page.nodes.map(({ id }) => id);

  it('lists only those of one status when asked', async () => {
    const { ana, newestFirst } = await history();
    const { id } = (await accept(ana)).challenge;
    const completed = await list(ana, { status: 'COMPLETED' });
    expect(idsOf(completed)).toEqual([newestFirst[1], newestFirst[3], newestFirst[5]]);
    expect(completed.totalCount).toBe(3);
    expect(await list(ana, { status: 'ACTIVE' })).toMatchObject({ nodes: [{ id }], totalCount: 1 });
    expect(await list(ana, { status: null })).toMatchObject({ totalCount: 7 });
  });

  it.each([['ABANDONED', 'ABANDONED', 3]])(
    'pages through %s of them, each once, whatever is added meanwhile',
    async (_name, status, count) => {
      const { ana, newestFirst } = await history();
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof list>> = await list(ana, { status, first: 1, after });
        expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
        if (seen.length === 2) await end.ABANDONED(ana, (await accept(ana)).challenge.id);
        seen.push(...idsOf(page));
        after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
      } while (after);
      expect(seen).toEqual(newestFirst.filter((_id, index) => count === 6 || index % 2 === 0));
    },
  );
});
