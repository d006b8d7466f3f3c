import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { type World, world } from '../support/world.js';

const MINE = 'user { id points streak { count } currentStreak maxStreak today }';

/** A mutation of each scope, with all that a token of that scope alone may read of its payload. */
const CHANGES: Record<string, { field: string; payload: string }> = {
  COMPLETIONS: {
    field: 'completeTask(taskId: $id)',
    payload: `isReplayed completion { id completedAt points note } task { id title completionCount tags } ${MINE}`,
  },
  TASKS: { field: 'updateTask(id: $id, input: { title: "Run" })', payload: 'task { id title description }' },
  CHALLENGES: {
    field: 'acceptChallenge(templateId: "1")',
    payload: `challenge { id status notes } ${MINE}`,
  },
  PROFILE: {
    field: 'updateProfile(input: { name: "Bea" })',
    payload: 'user { id name profilePicture timeZone dayStartsAt points }',
  },
};

/** What is more than the object that a mutation has changed, by the scope of the mutation. */
const MORE: [scope: string, at: string, selection: string][] = [
  ['COMPLETIONS', 'user.email', 'user { email }'],
  ['COMPLETIONS', 'user.name', 'user { name }'],
  ['COMPLETIONS', 'user.calendar', 'user { calendar(from: "2026-11-20", to: "2026-11-21") { points } }'],
  ['COMPLETIONS', 'user.pauses', 'user { pauses { note } }'],
  ['COMPLETIONS', 'user.activeChallenge', 'user { activeChallenge { notes } }'],
  ['COMPLETIONS', 'day', 'day { points }'],
  ['COMPLETIONS', 'task.today', 'task { today { amount } }'],
  ['COMPLETIONS', 'task.completions', 'task { completions { nodes { note } } }'],
  ['COMPLETIONS', 'task.calendar', 'task { calendar(from: "2026-11-20", to: "2026-11-21") { notes } }'],
  ['COMPLETIONS', 'task.statistics', 'task { statistics(from: "2026-11-20", to: "2026-11-21") { points } }'],
  ['COMPLETIONS', 'task.pauses', 'task { pauses { note } }'],
  ['COMPLETIONS', 'completion.task', 'completion { task { title } }'],
  ['TASKS', 'task.completions', 'task { completions { nodes { note } } }'],
  ['CHALLENGES', 'challenge.tasks', 'challenge { tasks { nodes { title } } }'],
  ['PROFILE', 'user.email', 'user { email }'],
];

const worldWith = (fastPath: 'always' | 'off') => world({ config: { ...configOf(), fastPath } });

async function withToken(here: World, scopes: string[]) {
  const ana = await here.newUser();
  const { id } = await ana.hasTask();
  const { createApiToken } = await ana.query(
    'mutation ($scopes: [ApiScope!]!) { createApiToken(input: { name: "Button", scopes: $scopes }) { token } }',
    { scopes },
  );
  const script = here.rest.as(createApiToken.token);
  return { ana, script, ask: (query: string) => script.ask(query, { id: String(id) }), id: String(id) };
}

const changeOf = (scope: string, payload: string) => {
  const field = CHANGES[scope]?.field ?? '';
  return `mutation ${field.includes('$id') ? '($id: ID!)' : ''} { done: ${field} { ${payload} } }`;
};

describe.each(['always', 'off'] as const)('Without READ, the fast path %s,', (fastPath) => {
  it('a token reads what its own mutation has changed, and the counters', async () => {
    const here = await worldWith(fastPath);
    for (const [scope, { payload }] of Object.entries(CHANGES)) {
      const { data, errors } = await (await withToken(here, [scope])).ask(changeOf(scope, payload));
      expect(errors, scope).toBeUndefined();
      expect(data.done).toBeTruthy();
    }
  });

  it('a token reads nothing else, and the mutation stands', async () => {
    const here = await worldWith(fastPath);
    for (const [scope, more] of Map.groupBy(MORE, ([of]) => of)) {
      const { ana, ask } = await withToken(here, [scope]);
      for (const [, at, selection] of more) {
        const { errors } = await ask(changeOf(scope, selection));
        expect(errors, at).toMatchObject([
          {
            message: 'The API token lacks the scope READ',
            path: ['done', ...at.split('.')],
            extensions: { code: 'FORBIDDEN', reason: 'SCOPE_MISSING', outcome: 'APPLIED' },
          },
        ]);
      }
      if (scope === 'COMPLETIONS')
        expect((await ana.query('{ completions { totalCount } }')).completions.totalCount).toBe(more.length);
    }
  });

  it('a token reads no note of what was there already, which its mutation has not changed', async () => {
    const here = await worldWith(fastPath);
    const done = 'isDoneAlready completion { note amount }';
    const one = `mutation ($id: ID!) { done: completeTask(taskId: $id, once: true) { ${done} } }`;
    const several = `mutation ($id: ID!) { done: completeTasks(input: [{ taskId: $id, idempotencyKey: "a", once: true }]) {
      results { ${done} } } }`;
    const noteFor = async (scopes: string[], query: string) => {
      const { ana, ask, id } = await withToken(here, scopes);
      const noted = 'mutation ($id: ID!) { completeTask(taskId: $id, note: "Knee") { isReplayed } }';
      await ana.query(noted, { id });
      const { data } = await ask(query);
      return data.done.results?.[0] ?? data.done;
    };
    for (const query of [one, several]) {
      const there = { isDoneAlready: true, completion: { note: null, amount: null } };
      expect(await noteFor(['COMPLETIONS'], query)).toEqual(there);
      const { completion } = await noteFor(['COMPLETIONS', 'READ'], query);
      expect(completion.note).toBe('Knee');
    }
  });

  it('a token with READ reads all of it', async () => {
    const { ask } = await withToken(await worldWith(fastPath), ['READ', 'COMPLETIONS']);
    const ofScope = MORE.filter(([scope, at]) => scope === 'COMPLETIONS' && !at.startsWith('day'));
    const query = changeOf('COMPLETIONS', ofScope.map(([, , selection]) => selection).join(' '));
    expect((await ask(query)).errors).toBeUndefined();
  });
});

it('A log-in answers all of whoever logs in, whoever else’s token is sent along, and however little that may do', async () => {
  const here = await world();
  const [ana, { script }] = [await here.newUser(), await withToken(here, ['COMPLETIONS'])];
  const { id } = await ana.hasAccepted();
  const { email, password } = ana.account;
  const answer = await script.ask(
    `mutation ($input: LogInInput!) {
      logIn(input: $input) { user { id email pauses { id } activeChallenge { id template { id } } } }
    }`,
    { input: { email, password } },
  );
  const activeChallenge = { id: String(id), template: { id: '1' } };
  expect(answer).toEqual({ data: { logIn: { user: { id: ana.id, email, pauses: [], activeChallenge } } } });
});
