import { deepStrictEqual } from 'node:assert/strict';
import type pg from 'pg';
import { kinds, of } from './contests.ts';
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

/** As if the completion had not been. */
async function takeBack(database: pg.Client, before: Rows, after: Rows): Promise<void> {
  await database.query(
    `update user_progress set
       (points, current_streak, max_streak, last_active_on, run_started_on, longest_run) =
       (was.points, was.current_streak, was.max_streak, was.last_active_on, was.run_started_on, was.longest_run)
     from jsonb_populate_record(null::user_progress, $1) was where user_progress.user_id = was.user_id`,
    [before.progress],
  );
  await database.query(
    `update tasks set (completion_count, last_completed_at, last_day, run_started_on, longest_run) =
       (was.completion_count, was.last_completed_at, was.last_day, was.run_started_on, was.longest_run)
     from jsonb_populate_record(null::tasks, $1) was where tasks.user_id = was.user_id and tasks.id = was.id`,
    [before.task],
  );
  await database.query('delete from task_completions where id = $1', [after.completion?.id]);
}

/** The same for a completion, of which each undoes what the other one would see. */
async function sameCompletion(
  ports: readonly [number, number],
  request: string,
  user: SeededUser,
  database: pg.Client,
): Promise<Answer> {
  const [baseline, service] = [
    await completing(ports[0], request, user, database),
    await completing(ports[1], request, user, database),
  ];
  deepStrictEqual(service.left, baseline.left, `Completed differently: ${request}`);
  return service.answer;
}

async function completing(port: number, request: string, user: SeededUser, database: pg.Client) {
  const before = await rowsOf(database, user);
  const answer = await ask(port, request);
  const after = await rowsOf(database, user);
  if (after.completion?.id === before.completion?.id) throw new Error(`Not completed: ${answer.body}`);
  await takeBack(database, before, after);
  const moment = { id: 0, completed_at: '', last_completed_at: '', recorded_at: '' };
  const { progress, task, completion } = after;
  const rows = [progress, { ...task, ...moment }, { ...completion, ...moment }];
  return { answer, left: { ...withoutMoment(answer), rows } };
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
