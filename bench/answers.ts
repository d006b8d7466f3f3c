import { deepStrictEqual } from 'node:assert/strict';
import type pg from 'pg';
import { kinds, of, undo } from './contests.ts';
import { connect, type Order } from './generator.ts';
import type { SeededUser } from './service.ts';

// Before anything is measured: the baseline and the service answer the same, and a completion leaves the same rows.

interface Answer {
  status: number;
  body: string;
}

export const ask = (port: number, request: string) =>
  new Promise<Answer>((resolve) => {
    const connection = connect(port);
    connection.ask(request, (status, body) => {
      connection.close();
      resolve({ status, body: Buffer.from(body, 'latin1').toString() });
    });
  });

/** What the baseline and the service answer to it, which has to be the same. */
async function sameAnswer(ports: readonly [number, number], request: string): Promise<Answer> {
  const [baseline, service] = [await ask(ports[0], request), await ask(ports[1], request)];
  deepStrictEqual(service, baseline, `Answered differently: ${request}`);
  return service;
}

/** Whatever depends on when a completion came. */
const withoutMoment = ({ status, body }: Answer): Answer => ({
  status,
  body: body
    .replace(/("completion":\{|^\{)"id":("?)\d+\2/, '$1"id":0')
    .replace(/("completed_?at":)"[^"]+"/i, '$1"now"'),
});

interface Rows {
  progress: object;
  task: { completion_count: number };
  completion: { id: number } | null;
}

async function rowsOf(database: pg.Client, { id, taskId }: SeededUser): Promise<Rows> {
  const { rows } = await database.query<Rows>(
    `select to_jsonb(user_progress) as progress, to_jsonb(tasks) as task, (
       select to_jsonb(task_completions) from task_completions
       where user_id = $1 and task_id = $2 order by id desc limit 1
     ) as completion
     from tasks join user_progress using (user_id) where user_id = $1 and id = $2`,
    [id, taskId],
  );
  const [found] = rows;
  if (!found) throw new Error(`No task ${taskId} of ${id}`);
  return found;
}

/** The same for a completion, which the service undoes before the other one completes. */
async function sameCompletion(
  ports: readonly [number, number],
  request: string,
  user: SeededUser,
  database: pg.Client,
): Promise<Answer> {
  const completing = async (port: number) => {
    const found = await completed(port, request, user, database);
    const { status, body } = await ask(ports[1], undo(user, found.id));
    if (status !== 200 || body.includes('"errors"')) throw new Error(`Not undone: ${body}`);
    return found;
  };
  const [baseline, service] = [await completing(ports[0]), await completing(ports[1])];
  deepStrictEqual(service.left, baseline.left, `Completed differently: ${request}`);
  return service.answer;
}

async function completed(port: number, request: string, user: SeededUser, database: pg.Client) {
  const before = await rowsOf(database, user);
  const answer = await ask(port, request);
  const after = await rowsOf(database, user);
  const id = after.completion?.id;
  if (id === undefined || id === before.completion?.id) throw new Error(`Not completed: ${answer.body}`);
  const moment = { id: 0, completed_at: '', last_completed_at: '', recorded_at: '' };
  const { progress, task, completion } = after;
  const rows = [progress, { ...task, ...moment }, { ...completion, ...moment }];
  return { id, answer, left: { ...withoutMoment(answer), rows } };
}

/** Half of the shortest to twice the longest answer to some of these requests. */
export const around = (lengths: number[]) => ({
  least: Math.min(...lengths) / 2,
  most: Math.max(...lengths) * 2,
});

/** The baseline and the service answer the same. Tells how long answers are. */
export async function check(
  ports: readonly [number, number],
  users: SeededUser[],
  database: pg.Client,
): Promise<NonNullable<Order['lengths']>> {
  const some = users.filter((_, at) => at % Math.ceil(users.length / 20) === 0);
  const lengths: NonNullable<Order['lengths']> = {};
  for (const kind of Object.keys(kinds)) {
    const found: number[] = [];
    for (const user of some) {
      const text = of(kind, user);
      const { status, body } = kind.endsWith('complete')
        ? await sameCompletion(ports, text, user, database)
        : await sameAnswer(ports, text);
      if (status >= 300 || body.includes('"errors"')) throw new Error(`${kind}: ${status} ${body}`);
      found.push(Buffer.byteLength(body));
    }
    lengths[kind] = around(found);
  }
  const forged = { ...some[0], token: `${some[0]?.token.slice(0, -4)}AAAA` } as SeededUser;
  for (const port of ports) {
    const { status } = await ask(port, of('REST list', forged));
    if (status !== 401) throw new Error(`A forged token is answered ${status}`);
  }
  return lengths;
}
