import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { freshDatabase } from '../support/service.js';
import { type RestClient, SECRET } from '../support/world.js';

const PEOPLE = 60;
const TAPS = 100;
const HOUR = 3_600_000;

const COMPLETE = `mutation ($input: [CompletionInput!]!) {
  completeTasks(input: $input) { results { completion { id } task { completionCount } error { reason } } user { points } }
}`;

/** Time enough on a machine that others keep busy. */
const patient = { REQUEST_TIMEOUT: '60000', JWT_SECRET: SECRET };

async function join(base: RestClient, number: number) {
  const person = { name: 'Ana', email: `ana${number}@example.com`, password: 'secret1' };
  const user = base.as((await base.post('/api/auth/signup', person)).body.token);
  return { user, task: (await user.post('/api/tasks', { title: 'Swim', points: 2.5 })).body.id };
}

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return server.stop;
});

describe('Sixty people who come back online with a hundred taps each', () => {
  it.each(['a server', 'the embedded database'])('are all answered with all of them, on %s', async (on) => {
    const where =
      on === 'a server'
        ? { DATABASE_URL: server.url((await freshDatabase(server)).database) }
        : { DATABASE_URL: '', DATA_DIR: temporaryFolder() };
    const service = startService({ ...patient, ...where });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const base = await service.listening();
    const people = [];
    for (let number = 0; number < PEOPLE; number += 1) people.push(await join(base, number));
    const answers = await Promise.all(
      people.map(({ user, task }) => {
        const input = Array.from({ length: TAPS }, (_, number) => ({
          taskId: `${task}`,
          idempotencyKey: `tap-${number}`,
          at: new Date(Date.now() - (1 + (number % 46)) * HOUR).toISOString(),
        }));
        return user.post('/graphql', { query: COMPLETE, variables: { input } });
      }),
    );
    for (const { status, body } of answers) {
      expect({ status, errors: body.errors }).toEqual({ status: 200 });
      const { results, user } = body.data.completeTasks;
      expect(results.map((each: { task: { completionCount: number } }) => each.task.completionCount)).toEqual(
        Array.from({ length: TAPS }, () => TAPS), // all are of one moment
      );
      expect(user.points).toBe(2.5 * TAPS);
    }
  });
});
