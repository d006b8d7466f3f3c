import type { Server } from './service.ts';

interface Asked {
  token?: string;
  body?: object | string;
}

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is answered
  body: any;
}

/** Over connections that stay open, as those of a proxy do. With a body by POST, else by GET. */
export async function ask(
  { port }: Pick<Server, 'port'>,
  path: string,
  { token, body }: Asked = {},
): Promise<Answered> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

/** Signs somebody up, and answers with the token. */
export async function newToken(service: Server, name: string): Promise<string> {
  const body = { name, email: `${name}@example.com`, password: 'secret1' };
  return (await ask(service, '/api/auth/signup', { body })).body.token;
}

export const DAY = 24 * 60 * 60 * 1_000;

/** An export of somebody who has done every task once a day, for so many days until yesterday. */
export function exportOf(tasks: number, days: number): object {
  const morning = Math.floor(Date.now() / DAY) * DAY + 7 * 3_600_000;
  const instant = (ago: number, task = 0) => new Date(morning - ago * DAY + task * 60_000).toISOString();
  const made = { points: 10, isDailyRoutine: true, createdAt: instant(days), updatedAt: instant(days) };
  const ids = Array.from({ length: tasks }, (_, index) => index + 1);
  const completedOn = (ago: number) =>
    ids.map((task) => {
      const at = instant(ago, task);
      return { task, points: 10, completedAt: at, day: at.slice(0, 10), recordedAt: at };
    });
  return {
    format: 'steady-export',
    version: 1,
    account: { timeZone: 'Europe/Berlin', dayStartsAt: 0 },
    tasks: ids.map((id) => ({ id, title: `Habit ${id}`, ...made })),
    challenges: [],
    completions: Array.from({ length: days }, (_, index) => completedOn(days - index)).flat(),
  };
}
