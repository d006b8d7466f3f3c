import { spawn } from 'node:child_process';
import { sql } from 'kysely';
import { model, openServer, systemClock, Tokens, unhurried } from './built.ts';
import { type Requests, UNIQUE } from './generator.ts';

export const SECRET = 'a secret of the benchmarks, of more than 32 characters';

const environmentOf = (given: Record<string, string>) => ({
  ...process.env,
  NODE_ENV: 'production',
  JWT_SECRET: SECRET,
  ...given,
});

export interface Service {
  port: number;
  pid: number;
  /** In megabytes: the heap after a garbage collection, which blocks the service. */
  held: () => Promise<number>;
  stop: () => Promise<void>;
}

/** Starts the built service in a process of its own. Resolves once it listens. */
export async function startService(environment: Record<string, string>): Promise<Service> {
  const weighing = ['--expose-gc', '--import', new URL('./weigh.ts', import.meta.url).href];
  const service = spawn(process.execPath, [...weighing, 'dist/src/main.js'], {
    env: environmentOf({ ...environment, HOST: '127.0.0.1', PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    service.stdout?.on('data', (chunk) => {
      output += chunk;
      const found = /API http:\S+:(\d+)\/api/.exec(output)?.[1];
      if (found) resolve(Number(found));
    });
    ended.then(() => reject(new Error(`The service ended: ${output}`)));
  });
  const stop = () => {
    service.kill();
    return ended;
  };
  const held = () =>
    new Promise<number>((resolve) => {
      service.once('message', (megabytes) => resolve(megabytes as number));
      service.send('weigh');
    });
  return { port, pid: service.pid ?? 0, held, stop };
}

/** Fills a new database with users who have five tasks each, and returns the requests to send as them. */
export async function seed(url: string): Promise<Requests> {
  const args = ['--users=1000', '--tasks=5', '--completions=20', '--yes'];
  const seeding = spawn(process.execPath, ['dist/src/commands/seed.js', ...args], {
    env: environmentOf({ DATABASE_URL: url }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  seeding.stdout?.resume();
  const status = await new Promise((resolve) => seeding.once('exit', resolve));
  if (status !== 0) throw new Error('Seeding failed');

  const database = await openServer(model, { url, poolSize: 1, patience: unhurried });
  const { rows } = await sql<{ userId: string; taskId: number }>`
    select user_id as "userId", min(id) as "taskId" from tasks group by user_id
  `.execute(database.query());
  await database.close();

  const tokens = new Tokens(SECRET, systemClock);
  const users = rows.map(({ userId, taskId }) => ({ taskId, token: tokens.issue(userId).token }));
  const account = { name: 'Ana', email: `${UNIQUE}@example.com`, password: 'secret1' };
  return {
    list: users.map(({ token }) => request('GET', '/api/tasks/me', { token })),
    completion: users.map(({ token, taskId }) =>
      request('POST', '/api/task-completions', { token, body: { task_id: taskId } }),
    ),
    'sign-up': [request('POST', '/api/auth/signup', { body: account })],
  };
}

function request(method: string, path: string, { token, body }: { token?: string; body?: object }): string {
  const text = body ? JSON.stringify(body) : '';
  return [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...(body ? ['Content-Type: application/json', `Content-Length: ${text.length}`] : []),
    '',
    text,
  ].join('\r\n');
}
