import { describe, expect, it } from 'vitest';
import { configOf } from '../support/database.js';
import { type World, world } from '../support/world.js';

const MINE = 'user { id points streak { count } currentStreak maxStreak today }';

/** A mutation of each scope, with all that a token of that scope alone may read of its payload. */
const CHANGES: Record<string, [field: string, payload: string]> = {
  COMPLETIONS: [
    'completeTask(taskId: $id)',
    `isReplayed completion { id completedAt points note } task { id title completionCount tags } ${MINE}`,
  ],
  TASKS: ['updateTask(id: $id, input: { title: "Run" })', 'task { id title description }'],
  CHALLENGES: ['acceptChallenge(templateId: "1")', `challenge { id status notes } ${MINE}`],
  PROFILE: [
    'updateProfile(input: { name: "Bea" })',
    'user { id name profilePicture timeZone dayStartsAt points }',
  ],
};

/** What is more than the object that a mutation has changed, by the scope of the mutation. */
const MORE: Record<string, [at: string, selection: string][]> = {
  COMPLETIONS: [
    ['user.email', 'user { email }'],
    ['user.name', 'user { name }'],
    ['user.calendar', 'user { calendar(from: "2026-11-20", to: "2026-11-21") { points } }'],
    ['user.pauses', 'user { pauses { note } }'],
    ['user.activeChallenge', 'user { activeChallenge { notes } }'],
    ['day', 'day { points }'],
    ['task.today', 'task { today { amount } }'],
    ['task.completions', 'task { completions { nodes { note } } }'],
    ['task.calendar', 'task { calendar(from: "2026-11-20", to: "2026-11-21") { notes } }'],
    ['task.statistics', 'task { statistics(from: "2026-11-20", to: "2026-11-21") { points } }'],
    ['task.pauses', 'task { pauses { note } }'],
    ['completion.task', 'completion { task { title } }'],
  ],
  TASKS: [['task.completions', 'task { completions { nodes { note } } }']],
  CHALLENGES: [['challenge.tasks', 'challenge { tasks { nodes { title } } }']],
  PROFILE: [['user.email', 'user { email }']],
};

const refused = {
  message: 'The API token lacks the scope READ',
  extensions: { code: 'FORBIDDEN', reason: 'SCOPE_MISSING', outcome: 'APPLIED' },
};

async function withToken(here: World, scopes: string[]) {
  const ana = await here.newUser();
  const { id } = await ana.hasTask();
  const { createApiToken } = await ana.query(
    'mutation ($scopes: [ApiScope!]!) { createApiToken(input: { name: "Button", scopes: $scopes }) { token } }',
    { scopes },
  );
  const script = here.rest.as(createApiToken.token);
  const changes = (field: string, payload: string) => {
    const declared = field.includes('$id') ? '($id: ID!)' : '';
    return script.ask(`mutation ${declared} { done: ${field} { ${payload} } }`, { id: String(id) });
  };
  return { ana, script, changes, id };
}

describe.each(['always', 'off'] as const)('Without READ, the fast path %s,', (fastPath) => {
  it('a token reads what its own mutation has changed, and the counters; nothing else, and the mutation stands', async () => {
    const here = await world({ config: { ...configOf(), fastPath } });
    for (const [scope, [field, payload]] of Object.entries(CHANGES)) {
      const { ana, changes } = await withToken(here, [scope]);
      const { data, errors } = await changes(field, payload);
      expect(errors, scope).toBeUndefined();
      const { challenge } = data.done; // only one is active
      if (challenge) await ana.rest.put(`/api/user-challenges/${challenge.id}/abandon`);
      for (const [at, selection] of MORE[scope] ?? []) {
        const path = ['done', ...at.split('.')];
        expect((await changes(field, selection)).errors, at).toMatchObject([{ ...refused, path }]);
      }
      if (scope === 'COMPLETIONS')
        expect((await ana.query('{ completions { totalCount } }')).completions.totalCount).toBe(13);
    }
  });

  it('a token reads no note of what was there already, which its mutation has not changed', async () => {
    const here = await world({ config: { ...configOf(), fastPath } });
    const done = 'isDoneAlready completion { note amount }';
    for (const [field, payload] of [
      ['completeTask(taskId: $id, once: true)', done],
      ['completeTasks(input: [{ taskId: $id, idempotencyKey: "a", once: true }])', `results { ${done} }`],
    ] as const)
      for (const [scopes, note] of [
        [['COMPLETIONS'], null],
        [['COMPLETIONS', 'READ'], 'Knee'],
      ] as const) {
        const { ana, changes, id } = await withToken(here, [...scopes]);
        await ana.query(`mutation { completeTask(taskId: ${id}, note: "Knee") { isReplayed } }`);
        const { data } = await changes(field, payload);
        const told = data.done.results?.[0] ?? data.done;
        expect(told).toMatchObject({ isDoneAlready: true, completion: { note } });
      }
  });
});

it('A log-in answers all of whoever logs in, however little the token may do that is sent along', async () => {
  const here = await world();
  const [ana, { script }] = [await here.newUser(), await withToken(here, ['COMPLETIONS'])];
  const { email, password } = ana.account;
  const answer = await script.ask(
    'mutation ($input: LogInInput!) { logIn(input: $input) { user { email pauses { id } activeChallenge { id } } } }',
    { input: { email, password } },
  );
  expect(answer).toEqual({ data: { logIn: { user: { email, pauses: [], activeChallenge: null } } } });
});
