import type { TestUser } from './world.js';

export const EVENT = 'id number kind at taskId completionId challengeId pauseId day';

export const EVENTS = `query ($after: String, $first: Int) {
  events(after: $after, first: $first) {
    nodes { ${EVENT} }
    pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
    totalCount
  }
}`;

export const setFeed = (user: TestUser, eventFeed: boolean) =>
  user.query(
    'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { user { eventFeed lastEventNumber } } }',
    { input: { eventFeed } },
  );

export async function withFeed(user: TestUser): Promise<TestUser> {
  await setFeed(user, true);
  return user;
}

/** All of them, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function eventsOf(user: TestUser, after: string | null = null): Promise<any[]> {
  const { events } = await user.query(EVENTS, { after, first: 100 });
  const { nodes, pageInfo } = events;
  return pageInfo.hasNextPage ? [...nodes, ...(await eventsOf(user, pageInfo.endCursor))] : nodes;
}

export const kindsOf = async (user: TestUser, after: string | null = null): Promise<string[]> =>
  (await eventsOf(user, after)).map(({ kind }) => kind);

/** Why it is refused. */
export async function reasonOf(user: TestUser, query: string, variables?: object) {
  const { errors } = await user.rest.ask(query, variables);
  return errors?.[0]?.extensions?.reason as string | undefined;
}
