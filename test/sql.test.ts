import { describe, expect, it, vi } from 'vitest';
import { type TestUser, type World, world } from './support/world.js';

/** The statements that a piece of work sends, as text. */
async function statementsOf({ database }: World, work: () => Promise<unknown>): Promise<string[]> {
  const statements = vi.spyOn(database.orm.em.getConnection().getClient().getExecutor(), 'executeQuery');
  try {
    await work();
    return statements.mock.calls.map(([{ sql }]) => sql.replace(/\s+/g, ' ').trim());
  } finally {
    statements.mockRestore();
  }
}

const ways: [name: string, (ana: TestUser, ids: { task: number }) => Promise<unknown>][] = [
  ['GET /api/user/profile', (ana) => ana.rest.get('/api/user/profile')],
  ['GET /api/tasks/me', (ana) => ana.rest.get('/api/tasks/me')],
  ['POST /api/task-completions', (ana, { task }) => ana.completes({ id: task })],
  ['GET /api/user-challenges', (ana) => ana.rest.get('/api/user-challenges')],
  ['GET /api/user-challenges/active', (ana) => ana.rest.get('/api/user-challenges/active')],
  ['GET /api/challenge-templates', (ana) => ana.rest.get('/api/challenge-templates')],
  [
    '{ tasks { nodes { title completionCount } } }',
    (ana) => ana.query('{ tasks { nodes { title completionCount } } }'),
  ],
  [
    '{ tasks { nodes { completions(first: 3) { nodes { points } } } } }',
    (ana) => ana.query('{ tasks { nodes { completions(first: 3) { nodes { points } } } } }'),
  ],
  [
    '{ me { calendar(from: …, to: …) { completions } } }',
    (ana) => ana.query('{ me { calendar(from: "2026-11-01", to: "2026-11-30") { completions } } }'),
  ],
];

describe('The SQL of the hot paths', () => {
  it.each(ways)('of %s is what it was', async (_name, work) => {
    const here = await world();
    const ana = await here.newUser();
    const task = await ana.hasTask();
    await ana.completes(task);
    await ana.hasAccepted();
    expect(await statementsOf(here, () => work(ana, { task: task.id }))).toMatchSnapshot();
  });
});
