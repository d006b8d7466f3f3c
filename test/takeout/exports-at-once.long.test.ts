import http from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { startService, temporaryFolder } from '../support/process.js';
import { type PostgresServer, startPostgres } from '../support/server.js';
import { freshDatabase } from '../support/service.js';
import { type RestClient, SECRET } from '../support/world.js';

const PEOPLE = Number(process.env.EXPORT_PEOPLE ?? 200);
const COMPLETIONS = Number(process.env.EXPORT_COMPLETIONS ?? 500);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
  return server.stop;
});

const accountOf = (number: number) => ({
  name: 'Ana',
  email: `ana${number}@example.com`,
  password: 'secret1',
});

/** On a connection of its own, as those of many people are. */
const exported = (rest: RestClient, token: string) =>
  new Promise<{ status: number | undefined; lines: number }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = http.get(`${rest.base}/account/completions.csv`, { agent: false, headers }, (answer) => {
      text(answer).then(
        (csv) => resolve({ status: answer.statusCode, lines: csv.split('\r\n').length }),
        reject,
      );
    });
    request.on('error', reject);
  });

/** Asks again and again until it is told to stop; answers with what it was answered, and the longest wait. */
function somebodyElse(rest: RestClient) {
  const statuses = new Set<number>();
  const waits: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now();
      statuses.add((await rest.get('/api/user/profile')).status);
      waits.push(performance.now() - since);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    waits.sort((one, other) => one - other);
    return { statuses: [...statuses], waits };
  };
}

it.each(['1', '4'])(
  'All who export at once are answered, and others meanwhile, with WORKERS=%s; signing up at once before that, they are let in',
  async (WORKERS) => {
    const { database } = await freshDatabase(server);
    const service = startService({
      ...{ DATABASE_URL: server.url(database), DATA_DIR: temporaryFolder(), WORKERS },
      ...{ JWT_SECRET: SECRET, REQUEST_TIMEOUT: '60000' },
    });
    const rest = await service.listening();
    const people = Array.from({ length: PEOPLE + 1 }, (_, number) => accountOf(number));
    const signedUp = await Promise.all(people.map((account) => rest.post('/api/auth/signup', account)));
    expect(new Set(signedUp.map(({ status }) => status))).toEqual(new Set([201]));
    const direct = new pg.Client(server.url(database));
    await direct.connect();
    onTestFinished(() => direct.end());
    await direct.query(`
      insert into tasks (user_id, title, points, is_daily_routine, created_at, updated_at)
      select id, 'Swim', 1, false, now(), now() from users`);
    await direct.query(
      `insert into task_completions (user_id, task_id, points, completed_at, day, recorded_at)
      select made.*, (completed_at at time zone 'UTC')::date, completed_at from (
        select user_id, id, 1, now() - number * interval '1 hour' from tasks, generate_series(1, $1) number
      ) made (user_id, task_id, points, completed_at)`,
      [COMPLETIONS],
    );
    await direct.query('vacuum analyze');

    const [other = '', ...tokens] = signedUp.map(({ body }) => body.token as string);
    const stop = somebodyElse(rest.as(other));
    const since = performance.now();
    const answers = await Promise.all(tokens.map((token) => exported(rest, token)));
    const { statuses, waits } = await stop();
    if (process.env.EXPORT_FIGURES) {
      const at = (part: number) => Math.round(waits[Math.floor(part * (waits.length - 1))] ?? 0);
      console.log(
        `WORKERS=${WORKERS}: ${PEOPLE} exports in ${Math.round(performance.now() - since)} ms; others: ${waits.length} answers, median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms`,
      );
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { lines } of answers) expect(lines).toBeGreaterThanOrEqual(COMPLETIONS);
    expect(statuses).toEqual([200]);
    expect(await service.stop()).toBe(0);
  },
  600_000,
);
