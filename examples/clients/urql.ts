import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { COMPLETE, PROGRESS, TASKS } from './documents.ts';

export const connect = (service: string, token: string) =>
  new Client({
    url: `${service}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    fetchSubscriptions: true, // as event streams: nothing else is needed for them
  });

/** A mutation whose answer names a type makes the cache ask again for whatever contains that type. */
export async function listTasks(client: Client) {
  const { data, error } = await client.query(TASKS, {});
  if (!data) throw error;
  return data.tasks.nodes;
}

export async function complete(client: Client, taskId: string, key: string) {
  const { data, error } = await client.mutation(COMPLETE, { taskId, key });
  if (!data?.completeTask) throw error;
  return data.completeTask;
}

/** Calls back at every change, whichever device caused it. Answers with what ends it. */
export function watch(client: Client, changed: (taskId: string | undefined) => void): () => void {
  const { unsubscribe } = client.subscription(PROGRESS, {}).subscribe(({ data }) => {
    if (data) changed(data.progressChanged.task?.id);
  });
  return unsubscribe;
}
