import { expect, it } from 'vitest';
import { type TestUser, worldOf } from '../support/world.js';

const TEMPLATE = 'id title description durationDays createdAt updatedAt';
const CHALLENGE = `id template { ${TEMPLATE} } status completedAt notes createdAt updatedAt`;
const ANSWER = `challenge { ${CHALLENGE} } user { id activeChallenge { id status } }`;
const ACTIVE = `{ activeChallenge { ${CHALLENGE} } me { activeChallenge { ${CHALLENGE} } } }`;
const LIST = `query ($status: ChallengeStatus, $first: Int, $after: String) {
  challenges(status: $status, first: $first, after: $after) {
    nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } totalCount
  }
}`;

const accept = async (ana: TestUser, templateId = 1) =>
  (await ana.query(`mutation { acceptChallenge(templateId: ${templateId}) { ${ANSWER} } }`)).acceptChallenge;
const end = {
  COMPLETED: async (ana: TestUser, id: string) =>
    (await ana.query(`mutation { completeChallenge(id: ${id}) { ${ANSWER} } }`)).completeChallenge,
  ABANDONED: async (ana: TestUser, id: string) =>
    (await ana.query(`mutation { abandonChallenge(id: ${id}) { ${ANSWER} } }`)).abandonChallenge,
};
const ends = ['COMPLETED', 'ABANDONED'] as const;

it('Challenge templates are found one by one, and null when there is none', async () => {
  const { ana } = await worldOf('ana');
  const { challengeTemplates } = await ana.query(`{ challengeTemplates { ${TEMPLATE} } }`);
  const find = async (id: number) =>
    (await ana.query(`{ challengeTemplate(id: ${id}) { ${TEMPLATE} } }`)).challengeTemplate;
  const third = await find(3);
  expect(challengeTemplates).toContainEqual(third);
  expect([third.id, await find(999)]).toEqual(['3', null]);
});

it.each(ends)('The user in an answer has the ACTIVE challenge, and none once it is %s', async (status) => {
  const { ana } = await worldOf('ana');
  const { challenge, user } = await accept(ana, 2);
  expect(challenge.template).toMatchObject({ id: '2', durationDays: 21 });
  expect(user).toEqual({ id: ana.id, activeChallenge: { id: challenge.id, status: 'ACTIVE' } });
  const active = { activeChallenge: challenge };
  expect(await ana.query(ACTIVE)).toEqual({ ...active, me: active });
  const ended = await end[status](ana, challenge.id);
  expect(ended.challenge).toMatchObject({ id: challenge.id, status, template: challenge.template });
  expect(ended.user).toEqual({ id: ana.id, activeChallenge: null });
});

it('challenges lists those of one status when asked, page by page, each once, whatever is added meanwhile', async () => {
  const { ana, clock } = await worldOf('ana');
  /** Two a day, of which the later ids are the newer ones. */
  const newestFirst: string[] = [];
  for (const status of [...ends, ...ends, ...ends]) {
    const { id } = (await accept(ana, newestFirst.length + 1)).challenge;
    newestFirst.unshift(id);
    await end[status](ana, id);
    if (newestFirst.length % 2 === 0) clock.advance({ days: 1 });
  }
  const active = (await accept(ana)).challenge;
  const list = async (variables: Record<string, unknown>) => (await ana.query(LIST, variables)).challenges;
  const idsOf = (page: { nodes: { id: string }[] }) => page.nodes.map(({ id }) => id);
  const [abandoned, completed] = [0, 1].map((odd) => newestFirst.filter((_, index) => index % 2 === odd));
  const found = await list({ status: 'COMPLETED' });
  expect([idsOf(found), found.totalCount]).toEqual([completed, 3]);
  expect(idsOf(await list({ status: 'ACTIVE' }))).toEqual([active.id]);
  expect(idsOf(await list({ status: null }))).toEqual([active.id, ...newestFirst]);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof list>> = await list({ status: 'ABANDONED', first: 1, after });
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    if (seen.length === 1) await end.ABANDONED(ana, active.id);
    seen.push(...idsOf(page));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
  expect(seen).toEqual(abandoned);
});
