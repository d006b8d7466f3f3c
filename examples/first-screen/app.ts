import type { ApolloClient } from '@apollo/client';
import { FIRST_SCREEN, NEWS, TAP, UNDO } from './documents.ts';
import type { FirstScreenQuery } from './gql/graphql.ts';

/** Reads the screen anew: at the start, when the app comes back to the front, and on a new day. */
export async function open(client: ApolloClient, now: Date): Promise<FirstScreenQuery> {
  const { data } = await client.query({
    query: FIRST_SCREEN,
    variables: rangesAt(now),
    fetchPolicy: 'network-only',
  });
  if (!data) throw new Error('No answer');
  return data;
}

/** The screen as the cache has it; null where something is missing. A framework watches the same query. */
export const shown = (client: ApolloClient, now: Date) =>
  client.readQuery({ query: FIRST_SCREEN, variables: rangesAt(now) });

const screenOf = async (client: ApolloClient, now: Date) => shown(client, now) ?? (await open(client, now));

interface Tap {
  /** One for each tap, so that sending it again is safe. */
  key?: string;
  /** When it was done; without it, now. */
  at?: string;
}

export async function tap(
  client: ApolloClient,
  taskId: string,
  now: Date,
  { key = crypto.randomUUID(), at }: Tap = {},
): Promise<void> {
  const { me } = await screenOf(client, now);
  const { data } = await client.mutate({
    mutation: TAP,
    variables: { ...recentAt(now), taskId, key, at },
  });
  if (data?.completeTask?.user.today !== me.today) await open(client, now);
}

/** Takes back the latest completion of today. */
export async function undo(client: ApolloClient, taskId: string, now: Date): Promise<void> {
  const { me, tasks } = await screenOf(client, now);
  const completionId = tasks.nodes.find(({ id }) => id === taskId)?.today.lastCompletionId;
  if (!completionId) return;
  const { data } = await client.mutate({
    mutation: UNDO,
    variables: { ...recentAt(now), completionId },
  });
  if (data?.undoCompletion?.user.today !== me.today) await open(client, now);
}

/** Shows what other devices do, until it is told to stop. */
export function follow(client: ApolloClient, now: Date): () => void {
  const subscription = client.subscribe({ query: NEWS, variables: recentAt(now) }).subscribe({});
  return () => subscription.unsubscribe();
}

/** Whether midnight has passed: nothing is sent then, so an app asks itself, once a minute for example. */
export const isOfYesterday = ({ me }: FirstScreenQuery, now: Date) => me.today !== todayOf(me, now);

/** The date of the wall clock, less the hours at which the day begins. */
export function todayOf({ timeZone, dayStartsAt }: { timeZone: string; dayStartsAt: number }, now: Date) {
  const wallClock = now.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T'); // as ISO 8601
  return new Date(Date.parse(`${wallClock}Z`) - dayStartsAt * 3_600_000).toISOString().slice(0, 10);
}

/** A year, and a week for each task. The day is not known before it is asked for: it may be tomorrow's in UTC. */
const rangesAt = (now: Date) => ({ from: dayAt(now, -364), ...recentAt(now) });

const recentAt = (now: Date) => ({ recent: dayAt(now, -7), to: dayAt(now, 1) });

const dayAt = (now: Date, days: number) =>
  new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 10);
