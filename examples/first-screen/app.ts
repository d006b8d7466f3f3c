import type { ApolloClient } from '@apollo/client';
import { FIRST_SCREEN, NEWS, TAP, UNDO } from './documents.ts';
import type {
  FirstScreenQuery,
  TapMutation,
  TaskOnScreenFragment,
  UserOnScreenFragment,
} from './gql/graphql.ts';

/** Reads the screen anew: at the start, when the app comes back to the front, and on a new day. */
export async function open(client: ApolloClient): Promise<FirstScreenQuery> {
  const { data } = await client.query({ query: FIRST_SCREEN, fetchPolicy: 'network-only' });
  if (!data) throw new Error('No answer');
  return data;
}

/** The screen as the cache has it; null where something is missing. A framework watches the same query. */
export const shown = (client: ApolloClient) => client.readQuery({ query: FIRST_SCREEN });

const screenOf = async (client: ApolloClient) => shown(client) ?? (await open(client));

interface Answer {
  task?: TaskOnScreenFragment | null;
  user: UserOnScreenFragment;
}

/** Whether `tasks(today: PLANNED)` has the task. What was done for an earlier day, or on a skipped one, may change it. */
const isListed = ({ today }: TaskOnScreenFragment) => today.filters.includes('PLANNED');

/** A cache puts an answer into the tasks, and not the tasks into other lists: reads these again where it must. */
async function settle(client: ApolloClient, today: string | undefined, { task, user }: Answer) {
  const listed = shown(client)?.tasks.nodes.some(({ id }) => id === task?.id);
  if (user.today !== today || (task && isListed(task) !== listed)) await open(client);
}

interface Tap {
  /** One for each tap, so that sending it again is safe. */
  key?: string;
  /** Without it, a completion counts as the whole target of the day. */
  amount?: number;
  /** When it was done; without it, now. */
  at?: string;
}

/** What a tap shows until its answer is there, which corrects it. A refusal takes it back. */
function expected({ me, tasks }: FirstScreenQuery, taskId: string, amount?: number): TapMutation | undefined {
  const task = tasks.nodes.find(({ id }) => id === taskId);
  if (!task) return undefined;
  const isPart = amount !== undefined && amount < (task.today.remaining ?? 0);
  const today = { ...task.today, completionCount: task.today.completionCount + 1 };
  const completeTask = {
    __typename: 'CompleteTaskPayload',
    task: { ...task, today: { ...today, state: isPart ? ('PARTIAL' as const) : ('KEPT' as const) } },
    user: me,
  };
  return { completeTask };
}

export async function tap(
  client: ApolloClient,
  taskId: string,
  { key = crypto.randomUUID(), ...done }: Tap = {},
): Promise<void> {
  const screen = await screenOf(client);
  const optimisticResponse = done.at ? undefined : expected(screen, taskId, done.amount);
  const variables = { taskId, key, ...done };
  const { data } = await client.mutate({
    mutation: TAP,
    variables,
    ...(optimisticResponse && { optimisticResponse }),
  });
  if (data?.completeTask) await settle(client, screen.me.today, data.completeTask);
}

/** Takes back the latest completion of today. */
export async function undo(client: ApolloClient, taskId: string): Promise<void> {
  const { me, tasks } = await screenOf(client);
  const completionId = tasks.nodes.find(({ id }) => id === taskId)?.today.lastCompletion?.id;
  if (!completionId) return;
  const { data } = await client.mutate({ mutation: UNDO, variables: { completionId } });
  if (data?.undoCompletion) await settle(client, me.today, data.undoCompletion);
}

/** Shows what other devices do, until it is told to stop. Their news may be the first of a new day. */
export function follow(client: ApolloClient): () => void {
  let today = shown(client)?.me.today;
  const subscription = client.subscribe({ query: NEWS }).subscribe(({ data }) => {
    if (!data) return;
    const { kind, ...news } = data.progressChanged;
    const reading = kind.startsWith('COMPLETION_') ? settle(client, today, news) : open(client);
    reading.catch(() => {}); // it stays as it is shown until the next news
    today = news.user.today;
  });
  return () => subscription.unsubscribe();
}

/** Whether the day is over: nothing is sent then, so an app asks itself, once a minute for example. */
export const isOfYesterday = ({ me }: FirstScreenQuery, now: Date) => new Date(me.todayEndsAt) <= now;
