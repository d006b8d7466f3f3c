import { COMPLETE, LIST, NESTED, PROFILE } from './operations.ts';
import { request, type SeededUser } from './service.ts';

// What is compared with what.

/** Sign-ups per second: more than two cores can hash. */
export const STORM = 50;

const MIX = { list: 0.7, complete: 0.2, profile: 0.1 };

const graphql = (query: string, token: string, variables?: object) =>
  request('POST', '/graphql', { token, body: { query, ...(variables && { variables }) } });

/** What a user asks, by kind. */
export const kinds: Record<string, (user: SeededUser) => string> = {
  'REST list': ({ token }) => request('GET', '/api/tasks/me', { token }),
  'REST complete': ({ token, taskId }) =>
    request('POST', '/api/task-completions', { token, body: { task_id: taskId } }),
  'REST profile': ({ token }) => request('GET', '/api/user/profile', { token }),
  'GraphQL list': ({ token }) => graphql(LIST, token),
  'GraphQL complete': ({ token, taskId }) => graphql(COMPLETE, token, { taskId: String(taskId) }),
  'GraphQL profile': ({ token }) => graphql(PROFILE, token),
  'GraphQL nested': ({ token }) => graphql(NESTED, token),
};

export const of = (kind: string, user: SeededUser) => kinds[kind]?.(user) ?? '';

export const undo = ({ token }: SeededUser, id: number) =>
  graphql(`mutation { undoCompletion(id: ${id}) { completionId } }`, token);

/** What is compared: two rounds, of which the first is the measure. */
export interface Contest {
  name: string;
  base: Round;
  subject: Round;
}

export type Who = 'baseline' | 'service' | 'embedded';

export interface Round {
  who: Who;
  rates: Record<string, number>;
  isInStorm?: boolean;
}

const beside = (name: string, rates: Record<string, number>): Contest => ({
  name,
  base: { who: 'baseline', rates },
  subject: { who: 'service', rates },
});

const mixOn = (api: string) =>
  Object.fromEntries(Object.entries(MIX).map(([kind, share]) => [`${api} ${kind}`, share]));

export const besideBaseline: Contest[] = [
  ...['REST', 'GraphQL'].flatMap((api) => [
    ...Object.keys(MIX).map((kind) => beside(`${api} ${kind}`, { [`${api} ${kind}`]: 1 })),
    beside(
      `${api} mix ${Object.values(MIX)
        .map((share) => share * 100)
        .join('/')}`,
      mixOn(api),
    ),
  ]),
  beside('GraphQL nested', { 'GraphQL nested': 1 }),
  ...['REST list', 'REST complete'].map((kind) => ({
    name: `embedded database: ${kind}`,
    base: { who: 'baseline' as const, rates: { [kind]: 1 } },
    subject: { who: 'embedded' as const, rates: { [`embedded ${kind}`]: 1 } },
  })),
];

export const storm: Contest = {
  name: `storm: p99 of the REST list, beside ${STORM} sign-ups a second ÷ alone`,
  base: { who: 'service', rates: { 'REST list': 1 } },
  subject: { who: 'service', rates: { 'REST list': 1 }, isInStorm: true },
};

export const contests = [...besideBaseline, storm];
