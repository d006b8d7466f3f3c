import { type ChildProcess, spawn } from 'node:child_process';
import { sql } from 'kysely';
import { heapOf, MALLOC } from '../scripts/node-options.ts';
import { openDatabase, readConfig, systemClock, Tokens } from './built.ts';
import { type Requests, UNIQUE } from './generator.ts';

export const SECRET = 'a secret of the benchmarks, of more than 32 characters';

function start(script: string, args: string[], environment: Record<string, string>): ChildProcess {
  const weighing = ['--expose-gc', '--import', new URL('./weigh.ts', import.meta.url).href];
  return spawn(process.execPath, [...heapOf(script), ...weighing, `dist/src/${script}`, ...args], {
    env: { ...MALLOC, ...process.env, NODE_ENV: 'production', JWT_SECRET: SECRET, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

export interface Service {
  port: number;
  pid: number;
  /** In megabytes: what it holds once garbage is collected. That keeps everybody waiting. */
  held: () => Promise<number>;
  stop: () => Promise<void>;
}

/** The built service as a process of its own, once it listens. */
export async function startService(environment: Record<string, string>): Promise<Service> {
  const service = start('main.js', [], { ...environment, HOST: '127.0.0.1', PORT: '0' });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    const look = (chunk: Buffer) => {
      output += chunk;
      const found = /API http:\S+:(\d+)\/api/.exec(output)?.[1];
      if (!found) return;
      service.stdout?.off('data', look).resume(); // a line a request follows
      resolve(Number(found));
    };
    service.stdout?.on('data', look);
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

export interface SeededUser {
  id: string;
  token: string;
  /** The first of its tasks. */
  taskId: number;
}

interface Numbers {
  users: number;
  /** Of each user. */
  tasks: number;
  completions: number;
}

/** Fills a new database, on a server or embedded, and answers with who is there. */
export async function seedUsers(
  environment: Record<string, string>,
  { users, tasks, completions }: Numbers,
): Promise<SeededUser[]> {
  const args = [`--users=${users}`, `--tasks=${tasks}`, `--completions=${completions}`, '--yes'];
  const seeding = start('commands/seed.js', args, environment);
  seeding.stdout?.resume();
  const status = await new Promise((resolve) => seeding.once('exit', resolve));
  if (status !== 0) throw new Error('Seeding failed');

  const config = readConfig({ ...environment, JWT_SECRET: SECRET });
  const database = await openDatabase(config, { isForCommand: true, onEnd: (error) => console.error(error) });
  const { rows } = await sql<{ id: string; taskId: number }>`
    select user_id as "id", min(id) as "taskId" from tasks group by user_id
  `.execute(database.query());
  await database.close();

  const issuer = new Tokens(SECRET, systemClock);
  return rows.map(({ id, taskId }) => ({ id, taskId: Number(taskId), token: issuer.issue(id).token }));
}

const ACCOUNT = { name: 'Ana', email: `${UNIQUE}@example.com`, password: 'secret1' };

export const signUp = () => request('POST', '/api/auth/signup', { body: ACCOUNT });

/** Fills a new database with users, each with five tasks, and answers with what they may ask. */
export async function seed(url: string): Promise<Requests> {
  const users = await seedUsers({ DATABASE_URL: url }, { users: 1_000, tasks: 5, completions: 20 });
  return {
    list: users.map(({ token }) => request('GET', '/api/tasks/me', { token })),
    completion: users.map(({ token, taskId }) =>
      request('POST', '/api/task-completions', { token, body: { task_id: taskId } }),
    ),
    'sign-up': [signUp()],
  };
}

/** As it goes over the wire. */
export function request(
  method: string,
  path: string,
  { token, body }: { token?: string; body?: object },
): string {
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
