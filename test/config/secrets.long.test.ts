import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/features/settings.js';
import { withLimits } from '../support/commands.js';
import { dataDirectory, run, startService } from '../support/process.js';
import { overWebSocket, transports } from '../support/transports.js';
import { withServer } from '../support/with-server.js';

/** Texts of which none may turn up anywhere, as they are or in another spelling. */
class Secrets {
  private readonly known: [what: string, text: string][] = [];

  make = (what: string) => this.add(what, `s3cret${randomBytes(12).toString('hex')}`);

  add(what: string, text: string): string {
    this.known.push([what, text]);
    return text;
  }

  /** What of them is in there. */
  foundIn(text: string): string[] {
    const spellings = (secret: string) => [
      ...[secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')],
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    const isIn = (secret: string) => spellings(secret).some((spelling) => text.includes(spelling));
    return this.known.filter(([, secret]) => isIn(secret)).map(([what]) => what);
  }
}

/** Of any password, also of one that was never stored. */
const HASH = /\$2[aby]\$\d\d\$/;

type Texts = Record<string, string>;

/** Sends what it is told to, and keeps all that comes back. */
function recorder(base: string) {
  const answers: string[] = [];
  const send = async (method: string, target: string, body?: unknown, headers: Texts = {}) => {
    const type: Texts = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(base + target, { method, body: sent, headers: { ...type, ...headers } });
    const text = await response.text();
    answers.push([response.status, ...[...response.headers].flat(), text].join('\n'));
    return text;
  };
  return { answers, send };
}

const server = withServer();

describe('Passwords, tokens, hashes and keys', () => {
  it('are in no line of the log and in no answer, whatever goes wrong', async () => {
    const url = await server.newDatabase();
    const inDatabase = async (statement: string) => {
      const client = new pg.Client(url);
      await client.connect();
      return (await client.query(statement).finally(() => client.end())).rows;
    };
    const secrets = new Secrets();
    const databaseUrl = new URL(url);
    databaseUrl.password = secrets.make('the password of the database');
    const service = startService({
      DATA_DIR: dataDirectory(),
      DATABASE_URL: databaseUrl.href,
      JWT_SECRET: secrets.make('the secret of the tokens'),
      LOG_LEVEL: 'trace',
      ...withLimits({ loginAttemptsPerAccount: 3 }),
    });
    const { base } = await service.listening();
    const { answers, send } = recorder(base);

    // The ways in. What they answer holds a token, as it must: it is looked for in all the others.
    const password = secrets.make('a password');
    const email = 'ana@example.com';
    const signedUp = await send('POST', '/api/auth/signup', { name: 'Ana', email, password });
    const loggedIn = await send('POST', '/api/auth/login', { email, password });
    const tokens = [signedUp, loggedIn].map((text) => JSON.parse(text).token);
    answers.splice(0);
    const [token = ''] = tokens.map((each) => secrets.add('a token', each));
    const authorization = `Bearer ${token}`;
    const withToken = { authorization };
    const key = secrets.make('an idempotency key');
    const wrong = secrets.make('a wrong password');
    const next = secrets.make('a new password');

    const LOG_IN = 'mutation ($input: LogInInput!) { logIn(input: $input) { user { id } } }';
    const asks = [
      ...[wrong, [wrong], { is: wrong }].map((each) => ({
        query: LOG_IN,
        variables: { input: { email, password: each } },
      })),
      { query: LOG_IN, variables: { input: wrong } },
      { query: LOG_IN, variables: { input: { password: wrong } } },
      { query: `mutation { logIn(input: { email: "a@b", password: ["${wrong}"] }) { user { id } } }` },
      { query: `mutation { logIn(input: { email: "a@b", password: "${wrong}" ` },
      { query: `mutation { updateProfile(input: { newPassword: "${next}" }) { user { id email } } }` },
      { query: `mutation { updateProfile(input: { newPassword: "${next}", name: "" }) { user { id } } }` },
      { query: `mutation { completeTask(taskId: "0", idempotencyKey: "${key}") { isReplayed } }` },
      { query: `mutation { completeTask(taskId: "1", idempotencyKey: "${key} ") { isReplayed } }` },
    ];
    const everything = async () => {
      const bodies = [
        { email, password: wrong },
        { email: 'nobody', password: wrong },
        { email, password: [wrong] },
        { email: { password: wrong } },
        [{ email, password: wrong }],
        `{"email":"${email}","password":"${wrong}`,
        `"${wrong}"`,
        `${wrong}`,
        JSON.stringify({ email, password: wrong, more: 'x'.repeat(300_000) }),
      ];
      const sendings = bodies.flatMap((body) => [
        send('POST', '/api/auth/login', body),
        send('POST', '/api/auth/signup', body),
        send('PUT', '/api/user/profile', body, withToken),
        send('POST', '/graphql', body, withToken),
        ...['text/plain', 'application/json; charset=x'].flatMap((type) => [
          send('POST', '/api/auth/login', body, { 'content-type': type }),
          send('POST', '/graphql', body, { 'content-type': type }),
        ]),
      ]);
      await Promise.all(sendings);
      await send('POST', '/api/auth/signup', { name: 'Bea', email, password: next });
      await send('POST', '/api/auth/signup', { name: '', email: 'bea@example.com', password: next });
      await send('PUT', '/api/user/profile', { newPassword: next }, withToken);
      await send('PUT', '/api/user/profile', { newPassword: next, email: wrong }, withToken);
      await send('POST', '/api/tasks', { title: 'Swim' }, withToken);
      for (const [id, sent] of [
        [1, key],
        [1, key],
        [2, key],
        [1, `${key} x`],
        [1, key.repeat(20)],
      ] as const) {
        const headers = { ...withToken, 'idempotency-key': sent };
        await send('POST', '/api/task-completions', { task_id: id }, headers);
      }
      for (const bad of [token.slice(0, -1), `${token}x`, token.replace(/^[^.]+/, 'x'), `Bearer ${token}`]) {
        await send('GET', '/api/user/profile', undefined, { authorization: `Bearer ${bad}` });
        await overWebSocket(base, { query: '{ me { id } }', authorization: `Bearer ${bad}` });
      }
      await send('GET', `/api/user/profile?access_token=${token}`);
      await send('GET', `/api/${token}/${wrong}`);
      const query = encodeURIComponent('{ me { id } }');
      await send('GET', `/graphql?query=${query}&variables=${wrong}`, undefined, withToken);
      const elsewhere = { cookie: `token=${token}`, authorization: `Basic ${wrong}` };
      await send('GET', '/api/tasks/me', undefined, elsewhere);
      for (const [, ask] of transports) {
        for (const { query, variables } of asks) {
          const answer = await ask(base, { query, ...(variables && { variables }), authorization });
          answers.push(JSON.stringify(answer));
        }
      }
      await send('GET', '/health/ready');
      await send('GET', '/api/user/profile', undefined, withToken);
    };

    await everything();
    for (const { password_hash } of await inDatabase('select password_hash from users'))
      secrets.add('a hash', password_hash);

    // Rows that the database refuses, tables that are not there, and then no database at all.
    await inDatabase('alter table users add constraint impossible check (false) not valid');
    await inDatabase('alter table task_completions rename to elsewhere');
    await everything();
    await server.halt('immediate');
    await everything();
    await service.stop();

    const count = (all: string[], text: string | RegExp) => all.filter((each) => each.match(text)).length;
    expect(answers.length).toBeGreaterThan(300);
    expect([count(answers, /^500/) > 5, count(answers, /^503/) > 5]).toEqual([true, true]);
    const lines = service.output.trim().split('\n');
    for (const told of ['A request failed', 'A resolver failed', 'violates check constraint'])
      expect(count(lines, told), told).toBeGreaterThan(2);
    for (const each of [...answers, ...lines])
      expect([...secrets.foundIn(each), HASH.exec(each)], each).toEqual([null]);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
  });

  it('are not printed by a service or a command that cannot start', async () => {
    const DATABASE_URL = 'postgres://steady:s3cret@127.0.0.1:1/steady?sslmode=prefer';
    const environment = {
      DATA_DIR: dataDirectory(),
      DATABASE_URL,
      ...withLimits({ databaseStartTimeout: 200 }), // long enough to say that it waits
      JWT_SECRET: 's3cret-of-the-tokens',
    };
    for (const each of [startService(environment), run('operation/commands/migrate.js', environment)]) {
      expect(await each.exited).toBe(1);
      expect(each.output).toContain('The database of DATABASE_URL cannot be used');
      expect(each.output).not.toContain('s3cret');
    }
  });
});

it('The secret of the tokens is refused in production when it is weak, and accepted in every usual encoding of random bytes', () => {
  const secret = randomBytes(24).toString('hex');
  const inProduction = (JWT_SECRET?: string) => readConfig({ NODE_ENV: 'production', JWT_SECRET });
  for (const [fault, ...weak] of [
    ['not set', undefined, ''],
    ['too short', 'hunter2', secret.slice(0, 31)],
    ['not random', 'x'.repeat(64), 'changeme'.repeat(5), ' '.repeat(32)],
  ])
    for (const each of weak)
      expect(() => inProduction(each)).toThrow(
        `JWT_SECRET is ${fault}, but must be at least 32 random characters in production.`,
      );
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    for (let bytes = 24; bytes < 64; bytes += 1) {
      const made = randomBytes(bytes).toString(encoding);
      expect(inProduction(made).jwtSecret).toBe(made);
    }
});
