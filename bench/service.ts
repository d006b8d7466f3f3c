import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { sql } from 'kysely';
import { heapOf, MALLOC } from '../bin/node-options.js';
import { built } from '../scripts/built.ts';
import { UNIQUE } from './generator.ts';

const { systemClock } = await built<typeof import('../src/base/clock.js')>('base/clock.js');
const { readConfig } = await built<typeof import('../src/features/settings.js')>('features/settings.js');
const { Tokens } = await built<typeof import('../src/features/account/tokens.js')>(
  'features/account/tokens.js',
);
const { openDatabase } = await built<typeof import('../src/operation/startup/instance.js')>(
  'operation/startup/instance.js',
);

export const SECRET = 'a secret of the benchmarks, of more than 32 characters';

/** Somebody who serves requests, in a process of its own. */
export interface Server {
  port: number;
  pid: number;
  stop: () => Promise<void>;
}

const own = { NODE_ENV: 'production', JWT_SECRET: SECRET };

const start = (file: string, args: string[], environment: Record<string, string>) =>
  spawn(process.execPath, [...heapOf(path.basename(file)), file, ...args], {
    env: { ...MALLOC, ...process.env, ...own, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

/** Once it has said on which port it listens. */
async function listening(child: ChildProcess, said: (tell: (port: number) => void) => void): Promise<Server> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    said(resolve);
    ended.then(() => reject(new Error('A server ended before it listened')));
  });
  const stop = () => {
    child.kill();
    return ended;
  };
  return { port, pid: child.pid ?? 0, stop };
}

/** The built service. */
export async function startService(environment: Record<string, string>): Promise<Server> {
  const service = start('dist/src/main.js', [], { ...environment, HOST: '127.0.0.1', PORT: '0' });
  return listening(service, (tell) => {
    let output = '';
    const look = (chunk: Buffer) => {
      output += chunk;
      const found = /API http:\S+:(\d+)\/api/.exec(output)?.[1];
      if (!found) return;
      service.stdout.off('data', look).resume(); // a line a request follows
      tell(Number(found));
    };
    service.stdout.on('data', look);
  });
}

/** A script of the benchmarks that sends its port as a message. */
export async function startScript(file: string, environment: Record<string, string>): Promise<Server> {
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...own, ...environment } });
  return listening(child, (tell) => child.once('message', (said) => tell((said as { port: number }).port)));
}

export interface SeededUser {
  id: string;
  token: string;
  /** The first of its tasks. */
  taskId: number;
}

/** Fills a new database, on a server or embedded, and answers with who is there; of tasks each has so many. */
export async function seedUsers(
  environment: Record<string, string>,
  numbers: Record<'users' | 'tasks' | 'completions', number>,
): Promise<SeededUser[]> {
  const args = Object.entries(numbers).map(([name, number]) => `--${name}=${number}`);
  const seeding = start('scripts/seed/seed.ts', [...args, '--yes'], environment);
  seeding.stdout.resume();
  const [status] = await once(seeding, 'exit');
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
