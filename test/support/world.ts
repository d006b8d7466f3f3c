import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import pino, { type Logger } from 'pino';
import { expect, onTestFinished } from 'vitest';
import { createService } from '../../src/app.js';
import type { Clock } from '../../src/base/clock.js';
import type { Config } from '../../src/base/config.js';
import { Passwords } from '../../src/base/passwords/passwords.js';
import type { Database } from '../../src/database/database.js';
import { Tokens } from '../../src/features/account/tokens.js';
import { StreakJob } from '../../src/features/history/streaks/streak.job.js';
import { reasons } from '../../src/features.js';
import type { Metrics } from '../../src/telemetry/metrics.js';
import { configOf, sharedDatabase } from './database.js';

export const SECRET = 'a secret of the tests, of more than 32 characters';

const NOON = new Date('2026-11-21T12:00:00.000Z');

export class TestClock implements Clock {
  private current = NOON;

  now(): Date {
    return new Date(this.current);
  }

  reset(): void {
    this.current = NOON;
  }

  set(iso: string): void {
    this.current = new Date(iso);
  }

  advance({ days = 0, hours = 0, seconds = 0, ms = 0 }): void {
    const step = ((days * 24 + hours) * 3_600 + seconds) * 1_000 + ms;
    this.current = new Date(this.current.getTime() + step);
  }
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  text: string;
  headers: Headers;
}

/** Equal to an answer that says "no" in this way: one sentence as JSON, and nothing else. */
export const refusal = (status: number, error: unknown = expect.any(String)) =>
  expect.objectContaining({ status, body: { error }, headers: withReason });

const withReason = expect.toSatisfy((headers: Headers) => (headers.get('error-reason') ?? '') in reasons);

/** REST as any client speaks it. */
export class RestClient {
  constructor(
    readonly base: string,
    readonly token?: string,
  ) {}

  as(token: string): RestClient {
    return new RestClient(this.base, token);
  }

  get = (path: string, headers?: Record<string, string>) => this.send('GET', path, undefined, headers);
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers);
  put = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('PUT', path, body, headers);

  /** All that GraphQL answers. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ask = async (query: string, variables?: object): Promise<any> =>
    (await this.post('/graphql', { query, variables })).body;

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const written = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(this.base + path, {
      ...{ method, agent: REUSING },
      headers: {
        ...(written !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(written),
        }),
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
    });
    sent.on('error', () => {}); // after an answer that came before all was sent, nobody else listens
    sent.end(written);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const text = await textOf(response);
    const isJson = response.headers['content-type']?.startsWith('application/json');
    return {
      status: response.statusCode ?? 0,
      body: isJson ? JSON.parse(text) : undefined,
      text,
      headers: new Headers(response.headers as Record<string, string>),
    };
  }
}

/** Takes half of the time of `fetch`, and tests send thousands of requests. */
const REUSING = new Agent({ keepAlive: true });

/** GraphQL as its clients have it: data, or an error with the answer. */
export class GraphqlClient {
  constructor(private readonly rest: RestClient) {}

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async request<Data = any>(query: string, variables?: object): Promise<Data> {
    const { status, headers, text } = await this.rest.post('/graphql', { query, variables }, ACCEPTING);
    const { data, errors, extensions } = JSON.parse(text);
    if (status === 200 && !errors) return data;
    const message = `${errors?.[0]?.message}: ${text}`;
    throw Object.assign(new Error(message), { response: { status, headers, data, errors, extensions } });
  }
}

const ACCEPTING = { accept: 'application/graphql-response+json, application/json' };

export interface WorldOptions {
  database?: Database;
  clock?: TestClock;
  config?: Config;
  log?: Logger;
  passwords?: Passwords;
  metrics?: Metrics;
}

// One thread and a low cost: what is tested is not how long hashing takes.
let passwords: Passwords | undefined;
const sharedPasswords = () => {
  passwords ??= new Passwords({ hashThreads: 1, hashCost: 4 });
  return passwords;
};

/** Runs a service until `stop`. */
async function start({
  database,
  clock = new TestClock(),
  config,
  log = pino({ level: process.env.TEST_LOG ?? 'silent' }),
  passwords = sharedPasswords(),
  metrics,
}: WorldOptions & { config: Config }) {
  const db = database ?? (await sharedDatabase());
  const instance = { config, secret: SECRET, clock, database: db, passwords, log, metrics };
  const service = await createService({ ...instance, isServing: () => true });
  const { server, live, reminders } = service;
  const base = await listen(server);
  const stop = async () => {
    await live.close();
    server.closeAllConnections();
    await service.stop();
    server.close(); // ends the timer of a server that is drained, which holds on to all of the service
  };
  let held = 0;
  const waiting: (() => void)[] = [];
  const hold = (way: NodeJS.EventEmitter) => {
    held += 1;
    way.once('close', () => {
      held -= 1;
      if (held === 0) for (const free of waiting.splice(0)) free();
    });
  };
  server.on('upgrade', (_request, socket) => hold(socket));
  server.on('request', (_request, response) => hold(response));
  /** Resolves once nobody is being answered, or follows anything, any more: never where a test has ended that. */
  const untilFree = () => new Promise<void>((resolve) => (held === 0 ? resolve() : waiting.push(resolve)));
  const { close } = live;
  live.close = () => {
    held += 1;
    return close.call(live);
  };
  return { base, clock, database: db, live, reminders, stop, untilFree };
}

type Started = Awaited<ReturnType<typeof start>>;

/** By their settings, services on the shared database. A test that is done leaves its own to the next one. */
const idle = new Map<string, Started[]>();

/** A running service with a clock that can be set; one that no other test has or gets, if other options than settings are given. */
export async function world(options: WorldOptions = { config: configOf() }) {
  const { config = configOf(), ...parts } = options;
  const isOwn = Object.keys(options).join() !== 'config';
  const settings = JSON.stringify(config);
  const alike = idle.get(settings) ?? [];
  idle.set(settings, alike);
  const service = (isOwn ? undefined : alike.pop()) ?? (await start({ config, ...parts }));
  const { base, clock, database: db, live, reminders } = service;
  onTestFinished(async () => {
    if (isOwn) return service.stop();
    void service.untilFree().then(() => {
      clock.reset();
      alike.push(service);
    });
  });

  const rest = new RestClient(base);
  const tokens = new Tokens(SECRET, clock);
  const newUser = (account?: Account) => signUp(rest, account);
  /** The same user with a token of this moment: tokens end after 30 days, stories may not. */
  const renewed = ({ id, account }: TestUser) => new TestUser(base, tokens.issue(id).token, account);
  const job = new StreakJob(db, clock);
  return {
    base,
    rest,
    graphql: new GraphqlClient(rest),
    clock,
    database: db,
    newUser,
    renewed,
    job,
    live,
    reminders,
  };
}

export type World = Awaited<ReturnType<typeof world>>;

/** A running service, and people who have an account there. */
export async function worldOf<Name extends string>(...names: Name[]) {
  const here = await world();
  return { ...here, ...(await peopleIn(here.newUser, names)) };
}

/** By name, made one after the other. */
export async function peopleIn<User, Name extends string>(newUser: () => Promise<User>, names: Name[]) {
  const people = {} as Record<Name, User>;
  for (const name of names) people[name] = await newUser();
  return people;
}

const listen = (server: Server) =>
  new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });

type Account = Partial<Record<'name' | 'email' | 'password', string>>;

export async function signUp(
  rest: RestClient,
  { name = 'Ana', email = `${randomUUID()}@example.com`, password = 'secret1' }: Account = {},
): Promise<TestUser> {
  const { body } = await rest.post('/api/auth/signup', { name, email, password });
  return new TestUser(rest.base, body.token, { ...body.user, password });
}

/** Someone with an account, on both APIs. */
export class TestUser {
  readonly rest: RestClient;
  readonly graphql: GraphqlClient;

  constructor(
    readonly base: string,
    readonly token: string,
    readonly account: { id: string; name: string; email: string; password: string },
  ) {
    this.rest = new RestClient(base, token);
    this.graphql = new GraphqlClient(this.rest);
  }

  get id(): string {
    return this.account.id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  query(document: string, variables?: object): Promise<any> {
    return this.graphql.request(document, variables);
  }

  async hasTask(task: Record<string, unknown> = {}): Promise<{ id: number }> {
    return (await this.rest.post('/api/tasks', { title: 'Swim', ...task })).body;
  }

  completes({ id }: { id: number }, headers?: Record<string, string>): Promise<Answer> {
    return this.rest.post('/api/task-completions', { task_id: id }, headers);
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async profile(): Promise<any> {
    return (await this.rest.get('/api/user/profile')).body;
  }

  async hasAccepted(templateId = 1): Promise<{ id: number }> {
    return (await this.rest.post('/api/user-challenges/accept', { templateId })).body;
  }
}
