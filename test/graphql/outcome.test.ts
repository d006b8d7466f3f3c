import { describe, expect, it } from 'vitest';
import { configOf, freshDatabase } from '../support/database.js';
import { type TestUser, world, worldOf } from '../support/world.js';

const BACKWARDS = 'calendar(from: "2026-11-22", to: "2026-11-21") { date }';

const totalOf = async (user: TestUser) =>
  (await user.query('{ completions { totalCount } }')).completions.totalCount;

describe('Of a mutation that is committed', () => {
  it('an error further down says so: what was asked wrongly there has not undone it', async () => {
    const { ana } = await worldOf('ana');
    const { id } = await ana.hasTask();
    const { createApiToken } = await ana.query(
      'mutation { createApiToken(input: { name: "Button", scopes: [COMPLETIONS] }) { token } }',
    );
    const mayNotRead = ana.rest.as(createApiToken.token);
    for (const [rest, asked, path, code] of [
      [ana.rest, `user { ${BACKWARDS} }`, ['user', 'calendar'], 'BAD_USER_INPUT'],
      [mayNotRead, 'day { date }', ['day'], 'FORBIDDEN'],
    ] as const)
      expect((await rest.ask(`mutation { completeTask(taskId: ${id}) { ${asked} } }`)).errors).toMatchObject([
        { path: ['completeTask', ...path], extensions: { code, outcome: 'APPLIED' } },
      ]);
    expect(await totalOf(ana)).toBe(2);
  });

  it('a field that the database cannot read says so, and that others were first', async () => {
    const config = configOf({ REQUEST_TIMEOUT: '10000' });
    const { newUser, database } = await world({ config, database: await freshDatabase(10, config) });
    const ana = await newUser();
    const { id } = await ana.hasTask();
    const query = `mutation { completeTask(taskId: ${id}) { completion { id } user { name } } }`;
    const { errors } = await database.transaction(async (tx) => {
      await tx.execute('lock table users in access exclusive mode');
      return ana.rest.ask(query);
    });
    expect(errors).toEqual([
      {
        message: 'The change was made, but not all of the answer could be read',
        ...{ locations: expect.anything(), path: ['completeTask', 'user', 'name'] },
        extensions: {
          ...{ code: 'SERVICE_UNAVAILABLE', reason: 'OVERLOADED', outcome: 'APPLIED', retryAfter: 1 },
        },
      },
    ]);
    expect(await totalOf(ana)).toBe(1);
  });

  it('an error of the mutation itself, or of a query, does not', async () => {
    const { ana } = await worldOf('ana');
    for (const query of ['mutation { completeTask(taskId: 0) { task { id } } }', `{ me { ${BACKWARDS} } }`])
      expect((await ana.rest.ask(query)).errors[0].extensions).not.toHaveProperty('outcome');
  });
});
