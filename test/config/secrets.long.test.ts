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

  make(what: string): string {
    return this.add(what, `s3cret${randomBytes(12).toString('hex')}`);
  }

  add(what: string, text: string): string {
    this.known.push([what, text]);
    return text;
  }

  /** What of them is in there. */
  foundIn(text: string): string[] {
    const spellings = (secret: string) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
      Buffer.from(secret).toString('hex'),
    ];
    return this.known
      .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
      .map(([what]) => what);
  }
}

/** Of any password, also of one that was never stored. */
const HASH = /\$2[aby]\$\d\d\$/;

/** Sends what it is told to, and keeps all that comes back. */
function recorder(base: string) {
  const answers: string[] = [];
  const send = async (
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(base + target, {
      method,
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    });
    const text = await response.text();
    answers.push([response.status, ...[...response.headers].flat(), text].join('\n'));
    return { status: response.status, text };
  };
  return { answers, send };
}

async function usersHashes(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('select password_hash from users');
  await client.end();
  return rows.map(({ password_hash }) => password_hash);
}

const server = withServer();

describe('Passwords, tokens, hashes and keys', () => {
  it('are in no line of the log and in no answer, whatever goes wrong', async () => {
    const url = await server.newDatabase();
    const inDatabase = async (statement: string) => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(statement).finally(() => client.end());
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
    const tokens = [signedUp, loggedIn].map(({ text }) => JSON.parse(text).token);
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
        await send(
          'POST',
          '/api/task-completions',
          { task_id: id },
          { ...withToken, 'idempotency-key': sent },
        );
      }
      for (const bad of [token.slice(0, -1), `${token}x`, token.replace(/^[^.]+/, 'x'), `Bearer ${token}`]) {
        await send('GET', '/api/user/profile', undefined, { authorization: `Bearer ${bad}` });
        await overWebSocket(base, { query: '{ me { id } }', authorization: `Bearer ${bad}` });
      }
      await send('GET', `/api/user/profile?access_token=${token}`);
      await send('GET', `/api/${token}/${wrong}`);
      await send(
        'GET',
        `/graphql?query=${encodeURIComponent('{ me { id } }')}&variables=${wrong}`,
        undefined,
        withToken,
      );
      await send('GET', '/api/tasks/me', undefined, {
        cookie: `token=${token}`,
        authorization: `Basic ${wrong}`,
      });
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
    for (const hash of await usersHashes(url)) secrets.add('a hash', hash);

    // Rows that the database refuses, tables that are not there, and then no database at all.
    await inDatabase('alter table users add constraint impossible check (false) not valid');
    await inDatabase('alter table task_completions rename to elsewhere');
    await everything();
    await server.halt('immediate');
    await everything();
    await service.stop();

    expect(answers.length).toBeGreaterThan(300);
    expect(answers.filter((answer) => answer.startsWith('500')).length).toBeGreaterThan(5);
    expect(answers.filter((answer) => answer.startsWith('503')).length).toBeGreaterThan(5);
    for (const answer of answers)
      expect([...secrets.foundIn(answer), HASH.exec(answer)], answer).toEqual([null]);

    const lines = service.output.trim().split('\n');
    expect(lines.filter((line) => line.includes('A request failed')).length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('A resolver failed')).length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes('violates check constraint')).length).toBeGreaterThan(2);
    for (const line of lines) {
      expect([...secrets.foundIn(line), HASH.exec(line)], line).toEqual([null]);
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
    }
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

describe('The secret of the tokens', () => {
  const secret = randomBytes(24).toString('hex');
  const inProduction = (JWT_SECRET?: string) => () => readConfig({ NODE_ENV: 'production', JWT_SECRET });

  it.each([
    ['not set', undefined],
    ['not set', ''],
    ['too short', 'hunter2'],
    ['too short', secret.slice(0, 31)],
    ['not random', 'x'.repeat(64)],
    ['not random', 'changeme'.repeat(5)],
    ['not random', ' '.repeat(32)],
  ])('is refused in production when it is %s', (fault, weak) => {
    expect(inProduction(weak)).toThrow(
      `JWT_SECRET is ${fault}, but must be at least 32 random characters in production.`,
    );
  });

  it('is accepted in production in every usual encoding of random bytes', () => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      for (let bytes = 24; bytes < 64; bytes += 1) {
        const made = randomBytes(bytes).toString(encoding);
        expect(inProduction(made)().jwtSecret).toBe(made);
      }
    }
  });
});
