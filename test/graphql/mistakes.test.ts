import { describe, expect, it } from 'vitest';
import { worldOf } from '../support/world.js';

const told = async (query: string, variables: object = {}) =>
  (await (await worldOf('ana')).ana.rest.ask(query, variables)).errors?.[0];

describe('A mistake explains itself', () => {
  const CREATE = 'mutation ($given: CreateTaskInput!) { createTask(input: $given) { task { id } } }';
  const SEND =
    'mutation ($taps: [CompletionInput!]!) { completeTasks(input: $taps) { results { isReplayed } } }';
  const plans = (plan: object) => ({ given: { title: 'Swim', ...plan } });
  it.each<[query: string, variables: object, name: string, path?: (string | number)[]]>([
    [CREATE, plans({ colour: 'red' }), 'colour'],
    [CREATE, {}, 'input'],
    [CREATE, { given: {} }, 'title'],
    [CREATE, plans({ color: 'RED' }), 'color'],
    [CREATE, plans({ schedule: { weekdays: ['MON'] } }), 'schedule', ['schedule', 'weekdays', 0]],
    [CREATE, plans({ schedule: { timesPer: { count: 2 } } }), 'schedule', ['schedule', 'timesPer', 'period']],
    [CREATE, plans({ schedule: { everyDays: null } }), 'schedule', ['schedule', 'everyDays']],
    [CREATE, plans({ reminders: [{ at: '08:00' }, { at: '8' }] }), 'reminders', ['reminders', 1, 'at']],
    [CREATE, plans({ target: { amount: 1, unit: 'km', kind: 'x' } }), 'target', ['target', 'kind']],
    [SEND, { taps: [{ taskId: 1, idempotencyKey: 'a', at: 'now' }] }, 'at', [0, 'at']],
    ['query ($size: Int) { tasks(first: $size) { totalCount } }', { size: '1' }, 'first'],
    ['query ($x: ID!) { task(id: $x) { id } }', {}, 'id'],
    [
      'query ($days: Int) { ...days } fragment days on Query { me { calendar(last: $days) { date } } }',
      { days: '7' },
      'last',
    ],
    [
      'mutation ($on: [Weekday!]!) { createTask(input: { title: "Swim", schedule: { weekdays: $on } }) { task { id } } }',
      { on: ['MO'] },
      'schedule',
      ['schedule', 'weekdays', 0],
    ],
    [
      'mutation { createTask(input: { title: "Swim", schedule: { weekdays: [FRIDAY, MO] } }) { task { id } } }',
      {},
      'schedule',
      ['schedule', 'weekdays', 1],
    ],
    [
      'mutation { createApiToken(input: { name: "a", scopes: [read] }) { token } }',
      {},
      'scopes',
      ['scopes', 0],
    ],
    ['mutation { createTask(input: { points: 1 }) { task { id } } }', {}, 'title'],
    ['{ tasks(today: NOW) { totalCount } }', {}, 'today'],
  ])(
    'by the field that a form has, and the path of what lies deeper: %s %j',
    async (query, variables, name, path) => {
      const { extensions, message } = await told(query, variables);
      expect(extensions).toMatchObject({ reason: 'INVALID_INPUT' });
      const said = extensions.fields[0].message;
      expect(extensions.fields).toEqual([path ? { name, path, message: said } : { name, message: said }]);
      expect(message.endsWith(said)).toBe(true);
    },
  );

  it.each(['today: "OPEN"', 'archived: true'])(
    'of a name in another form, with the names: %s',
    async (args) => {
      const { message } = await told(`{ tasks(${args}) { totalCount } }`);
      expect(message).toMatch(/ takes a name without quotes\. It has [A-Z_, ]+\.$/);
    },
  );

  it.each(['Basic YW5hOnNlY3JldDE=', 'TOKEN', 'Bearer', 'Token TOKEN'])(
    'of a token in another form than `Bearer TOKEN`, in both APIs: %s',
    async (form) => {
      const { rest, ana } = await worldOf('ana');
      const headers = { authorization: form.replace('TOKEN', ana.token) };
      const graphql = await rest.post('/graphql', { query: '{ me { id } }' }, headers);
      expect(graphql.body.errors[0]).toMatchObject({
        message: 'User not authenticated: send the header Authorization: Bearer TOKEN',
        extensions: { reason: 'TOKEN_MISSING' },
      });
      const profile = await rest.send('GET', '/api/user/profile', undefined, headers);
      expect([profile.status, profile.headers.get('error-reason')]).toEqual([401, 'TOKEN_MISSING']);
    },
  );
});

it('REST says which of two spellings of one thing it has not read', async () => {
  const accept = async (given: object) => {
    const { rest } = (await worldOf('ana')).ana;
    const { body, headers } = await rest.post('/api/user-challenges/accept', given);
    return [body.template_id, headers.get('ignored-fields')];
  };
  expect(await accept({ template_id: 1 })).toEqual([1, null]);
  expect(await accept({ template_id: 1, templateId: 2 })).toEqual([2, 'template_id']);
  expect(await accept({ templateId: 2, template_id: 1 })).toEqual([2, 'template_id']);
});
