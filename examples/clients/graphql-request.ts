import { GraphQLClient, request } from 'graphql-request';
import { COMPLETE, LOG_IN, TASKS } from './documents.ts';

/** Logging in and signing up are what needs no token. The answer's token is valid for 30 days. */
export async function logIn(service: string, email: string, password: string): Promise<string> {
  const { logIn } = await request(`${service}/graphql`, LOG_IN, { input: { email, password } });
  if (!logIn) throw new Error('A refused mutation is null, and graphql-request throws then');
  return logIn.token;
}

export const connect = (service: string, token: string) =>
  new GraphQLClient(`${service}/graphql`, { headers: { authorization: `Bearer ${token}` } });

export async function listTasks(client: GraphQLClient) {
  const { tasks } = await client.request(TASKS);
  return tasks.nodes;
}

export async function complete(client: GraphQLClient, taskId: string, key: string) {
  const { completeTask } = await client.request(COMPLETE, { taskId, key });
  return completeTask;
}
