import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './api.d.ts';

export const connect = (service: string, token: string) =>
  createClient<paths>({ baseUrl: `${service}/api`, headers: { authorization: `Bearer ${token}` } });

export async function addTask(client: Client<paths>, title: string) {
  const { data, error } = await client.POST('/tasks', { body: { title } });
  if (!data) throw new Error(error.error);
  return data;
}

export async function complete(client: Client<paths>, taskId: number, key: string) {
  const { data, error, response } = await client.POST('/task-completions', {
    params: { header: { 'Idempotency-Key': key } },
    body: { task_id: taskId },
  });
  if (!data) throw new Error(error.error);
  return { completion: data, replayed: response.headers.get('idempotent-replayed') === 'true' };
}
