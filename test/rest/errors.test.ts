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
