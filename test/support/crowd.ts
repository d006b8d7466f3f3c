import http from 'node:http';
import { expect } from 'vitest';
import { type RestClient, signUp } from './world.js';

export interface CrowdUser {
  token: string;
  taskId: number;
}

/** Somebody new, with a habit. */
export async function crowdUser(rest: RestClient): Promise<CrowdUser> {
  const user = await signUp(rest);
  return { token: user.token, taskId: (await user.hasTask({ points: 1 })).id };
}

/** They ask in turns for a completion and over GraphQL, on kept connections, or on one for each request. */
export function crowd(
  { base }: RestClient,
  users: CrowdUser[],
  { perSecond, keepAlive = true }: { perSecond: number; keepAlive?: boolean },
) {
  const agent = new http.Agent({ keepAlive, maxSockets: 32, scheduling: 'fifo' });
  /** A status, or why there is none. */
  const asked: Promise<number | string>[] = [];
  const ask = (path: string, { token }: CrowdUser, body: object) =>
    new Promise<number | string>((resolve) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = http.request(`${base}${path}`, { agent, method: 'POST', headers }, (answer) => {
        answer.resume().on('error', ({ message }) => resolve(message));
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      });
      request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      request.end(JSON.stringify(body));
    });
  const askNext = (user: CrowdUser) =>
    asked.length % 2 === 0
      ? ask('/api/task-completions', user, { task_id: user.taskId })
      : ask('/graphql', user, { query: '{ me { points } }' });
  const began = performance.now();
  const asking = setInterval(() => {
    while (asked.length < ((performance.now() - began) * perSecond) / 1_000) {
      const user = users[Math.floor(asked.length / 2) % users.length];
      if (user) asked.push(askNext(user));
    }
  }, 5);
  return {
    count: () => asked.length,
    stop: async () => {
      clearInterval(asking);
      const count = { completed: 0, read: 0, unavailable: 0, refused: 0 };
      for (const outcome of await Promise.all(asked)) {
        if (outcome === 201) count.completed += 1;
        else if (outcome === 200) count.read += 1;
        else if (outcome === 503) count.unavailable += 1;
        else if (outcome === 'ECONNREFUSED') count.refused += 1;
        else expect.unreachable(`A request ended with ${outcome}`);
      }
      return count;
    },
  };
}
