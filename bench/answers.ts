import { deepStrictEqual } from 'node:assert/strict';
import type pg from 'pg';
import { kinds, of } from './contests.ts';
import { connect } from './generator.ts';
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
const withoutMoment = (text: string) =>
  text.replace(/"(id|\w*completed_?at|recorded_at)":("[^"]*"|\d+)/gi, '"$1":"then"');

/** The same for a completion, each in its own database. */
async function sameCompletion(
  ports: readonly [number, number],
  request: string,
  user: SeededUser,
  databases: readonly [pg.Client, pg.Client],
): Promise<Answer> {
  const completing = async (port: number, database: pg.Client) => {
    const answer = await ask(port, request);
    const { rows } = await database.query(
      `select to_jsonb(user_progress) as progress, to_jsonb(tasks) as task, to_jsonb(completion) as completion
       from tasks join user_progress using (user_id) join task_completions completion on task_id = tasks.id
       where tasks.user_id = $1 and tasks.id = $2 order by completion.id desc limit 1`,
      [user.id, user.taskId],
    );
    return { answer, left: withoutMoment(answer.body + JSON.stringify(rows)) };
  };
  const baseline = await completing(ports[0], databases[0]);
  const service = await completing(ports[1], databases[1]);
  deepStrictEqual(service.left, baseline.left, `Completed differently: ${request}`);
  deepStrictEqual(service.answer.status, baseline.answer.status);
  return service.answer;
}

/** The baseline and the service answer the same. */
export async function check(
  ports: readonly [number, number],
  users: SeededUser[],
  databases: readonly [pg.Client, pg.Client],
): Promise<void> {
  const some = users.filter((_, at) => at % Math.ceil(users.length / 20) === 0);
  for (const kind of Object.keys(kinds)) {
    for (const user of some) {
      const text = of(kind, user);
      const { status, body } = kind.endsWith('complete')
        ? await sameCompletion(ports, text, user, databases)
        : await sameAnswer(ports, text);
      if (status >= 300 || body.includes('"errors"')) throw new Error(`${kind}: ${status} ${body}`);
    }
  }
  const forged = { ...some[0], token: `${some[0]?.token.slice(0, -4)}AAAA` } as SeededUser;
  for (const port of ports) {
    const { status } = await ask(port, of('REST list', forged));
    if (status !== 401) throw new Error(`A forged token is answered ${status}`);
  }
}
