import { COMPLETE, LIST, NESTED, PROFILE } from './operations.ts';
import { request, type SeededUser } from './service.ts';

// What is compared with what.

/** Sign-ups per second: more than two cores can hash. */
export const STORM = 50;

export const graphql = (query: string, token: string, variables?: object) =>
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

/** What is compared: two rounds, of which the first is the measure. */
export interface Contest {
  name: string;
  base: Round;
  subject: Round;
}

export type Who = 'baseline' | 'service' | 'embedded';

export interface Round {
  who: Who;
  kind: string;
  isInStorm?: boolean;
}

/** What is asked of the embedded database, too. */
export const EMBEDDED_KINDS = ['REST list', 'REST complete'];

export const storm: Contest = {
  name: `storm: p99 of the REST list, beside ${STORM} sign-ups a second ÷ alone`,
  base: { who: 'service', kind: 'REST list' },
  subject: { who: 'service', kind: 'REST list', isInStorm: true },
};

const beside = (who: Who, name: string, kind: string, asked = kind): Contest => ({
  name,
  base: { who: 'baseline', kind },
  subject: { who, kind: asked },
});

export const contests = [
  ...Object.keys(kinds).map((kind) => beside('service', kind, kind)),
  ...EMBEDDED_KINDS.map((kind) => beside('embedded', `embedded database: ${kind}`, kind, `embedded ${kind}`)),
  storm,
];
