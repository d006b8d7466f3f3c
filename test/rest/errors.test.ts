import { describe, expect, it } from 'vitest';
import { refusal, type TestUser, world } from '../support/world.js';

/** Endpoints that name one row, and what they say when there is none. */
const rows: [endpoint: string, message: string, make: (user: TestUser) => Promise<{ id: number }>][] = [
  ['PUT /api/tasks/:id', 'Task not found', (user) => user.hasTask()],
  ['GET /api/challenge-templates/:id', 'Challenge template not found', async () => ({ id: 1 })],
  ['PUT /api/user-challenges/:id/notes', 'Challenge not found', (user) => user.hasAccepted()],
  ['PUT /api/user-challenges/:id/complete', 'Challenge not found', (user) => user.hasAccepted()],
  ['PUT /api/user-challenges/:id/abandon', 'Challenge not found', (user) => user.hasAccepted()],
];

const fullWidth = (id: number) =>
  String(id).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** What looks like the id of a row, or like any id, and is none. */
const noIds = (id: number) => [
  ...[
    `0${id}`,
    `+${id}`,
    `-${id}`,
    ` ${id}`,
    `${id} `,
    `${id}\n`,
    `${id}\0`,
    `${id}.0`,
    `${id}.5`,
    `${id}e0`,
  ],
  ...[`0x${id.toString(16)}`, `${id}n`, `${id},`, `${id};`, `${id}/`, `"${id}"`, `[${id}]`, fullWidth(id)],
  ...[
    '0',
    '-1',
    '1e300',
    '٣',
    '½',
    'abc',
    'null',
    'NaN',
    'Infinity',
    '{}',
    ' ',
    '\0',
    '😀',
    "' or 1=1--",
    '../1',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
  ],
  ...['18446744073709551617', '9'.repeat(400), 'x'.repeat(4_000)],
];

describe.each(rows)('%s', (endpoint, message, make) => {
  const [method = '', path = ''] = endpoint.split(' ');
  const body = method === 'GET' ? undefined : { title: 'Mine', notes: 'Mine' };

  it('answers 404 to whatever is not the id of a row, in its one spelling', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const id of noIds((await make(ana)).id)) {
      const answer = await ana.rest.send(method, path.replace(':id', encodeURIComponent(id)), body);
      expect(answer, id.slice(0, 40)).toEqual(refusal(404, message));
    }
  });

  it('answers 400 to a path that cannot be decoded', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    for (const id of ['%', '%E0%A4%A', '%ff', '%C0%80', '%c3%28', '%ED%A0%80']) {
      expect(await ana.rest.send(method, path.replace(':id', id), body), id).toEqual(refusal(400));
    }
  });
});

describe('The reason of an error', () => {
  it('is in a header, for programs, and the body is the sentence alone', async () => {
    const { newUser, rest } = await world();
    const [ana, bea] = [await newUser(), await newUser()];
    const { id } = await ana.hasTask();
    await ana.query('mutation ($id: ID!) { archiveTask(id: $id) { task { id } } }', { id });
    await ana.hasAccepted();
    const key = { 'idempotency-key': 'tap' };
    await bea.completes(await bea.hasTask(), key);
    const answers = {
      TASK_ARCHIVED: await ana.completes({ id }),
      TASK_OF_ANOTHER: await bea.completes({ id }),
      KEY_REUSED: await bea.completes(await bea.hasTask(), key),
      CHALLENGE_ACTIVE: await ana.rest.post('/api/user-challenges/accept', { templateId: 2 }),
      NOT_FOUND: await ana.rest.get('/api/nowhere'),
      TOKEN_MISSING: await rest.get('/api/tasks/me'),
      TOKEN_INVALID: await rest.as('none').get('/api/tasks/me'),
      INVALID_CREDENTIALS: await rest.post('/api/auth/login', { email: 'a@b', password: 'wrong1' }),
      EMAIL_TAKEN: await rest.post('/api/auth/signup', { ...ana.account, name: 'Ana' }),
      INVALID_INPUT: await ana.rest.post('/api/tasks', '{'),
    };
    for (const [reason, { headers, body }] of Object.entries(answers)) {
      expect(headers.get('error-reason')).toBe(reason);
      expect(Object.keys(body), reason).toEqual(['error']);
    }
    expect(answers.CHALLENGE_ACTIVE.body.error).toBe('Você já possui um desafio ativo');
    expect(answers.KEY_REUSED.body.error).toBe('Idempotency key was used for another task');
  });
});

describe('An unknown route', () => {
  const routes = [
    ...['POST /', 'GET /nope', 'GET /api', 'GET /api/', 'POST /api', 'GET /api/nope', 'GET /api/v1/tasks/me'],
    ...['GET /api/auth/signup', 'GET /api/auth/login', 'PUT /api/auth/login', 'POST /api/auth/logout'],
    ...[
      'POST /api/auth/refresh',
      'POST /api/user/profile',
      'PATCH /api/user/profile',
      'DELETE /api/user/profile',
    ],
    ...['GET /api/user', 'GET /api/users', 'GET /api/tasks', 'GET /api/tasks/1', 'DELETE /api/tasks/1'],
    ...['PATCH /api/tasks/1', 'PUT /api/tasks', 'POST /api/tasks/me', 'GET /api/task-completions'],
    ...['DELETE /api/task-completions/1', 'POST /api/challenge-templates', 'PUT /api/challenge-templates/1'],
    ...['DELETE /api/challenge-templates/1', 'POST /api/user-challenges', 'GET /api/user-challenges/1'],
    ...[
      'DELETE /api/user-challenges/1',
      'PUT /api/user-challenges/active',
      'POST /api/user-challenges/1/complete',
    ],
    ...['PUT /api/user-challenges/1/notes/1', 'GET /api/%ff', 'GET /api/__proto__', 'GET /api/constructor'],
  ];

  it.each(routes)('%s is answered with 404 as JSON, with or without a token', async (route) => {
    const { rest, newUser } = await world();
    const [method = '', path = ''] = route.split(' ');
    for (const client of [rest, (await newUser()).rest]) {
      expect(await client.send(method, path)).toEqual(
        refusal(404, expect.not.stringContaining(path.slice(1) || '/')),
      );
    }
  });
});

describe('An answer', () => {
  it('that refuses is one sentence as application/json, whatever the status', async () => {
    const { rest, newUser } = await world();
    const ana = await newUser();
    const answers = {
      400: await ana.rest.post('/api/tasks', { title: '' }),
      401: await rest.get('/api/tasks/me'),
      404: await ana.rest.put('/api/tasks/0', {}),
      413: await ana.rest.post('/api/tasks', { title: 'x'.repeat(300_000) }),
      415: await ana.rest.post('/api/tasks', 'title=Swim', { 'content-type': 'text/plain' }),
    };
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer).toEqual(refusal(Number(status), expect.stringMatching(/^\p{Lu}[^\n]+$/u)));
      expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    }
  });

  it('is never stored by anyone on its way, be it a yes or a no', async () => {
    const { rest, newUser } = await world();
    const ana = await newUser();
    const challenge = `/api/user-challenges/${(await ana.hasAccepted()).id}`;
    const task = await ana.hasTask();
    for (const client of [ana.rest, rest]) {
      const answers = [
        await client.post('/api/auth/signup', { name: 'Bea', email: `new-${ana.id}@x`, password: 'secret1' }),
        await client.post('/api/auth/login', ana.account),
        await client.get('/api/user/profile'),
        await client.put('/api/user/profile', {}),
        await client.post('/api/tasks', { title: 'Swim' }),
        await client.get('/api/tasks/me'),
        await client.put(`/api/tasks/${task.id}`, {}),
        await client.post('/api/task-completions', { task_id: task.id }),
        await client.get('/api/challenge-templates'),
        await client.get('/api/challenge-templates/1'),
        await client.get('/api/user-challenges'),
        await client.get('/api/user-challenges/active'),
        await client.put(`${challenge}/notes`, { notes: 'Well' }),
        await client.put(`${challenge}/complete`),
        await client.put(`${challenge}/abandon`),
        await client.post('/api/user-challenges/accept', { templateId: 1 }),
      ];
      for (const { headers, status, text } of answers) {
        expect(headers.get('cache-control'), `${status} ${text}`).toBe('no-store');
      }
    }
  });

  it('is JSON in UTF-8 whatever the Accept header says, and whatever the query', async () => {
    const { newUser } = await world();
    const ana = await newUser();
    const answer = await ana.rest.get('/api/tasks/me?%ff&a[b]=1&__proto__[c]=1&limit=0', {
      accept: 'text/html',
    });
    expect(answer).toMatchObject({ status: 200, body: [] });
  });
});
