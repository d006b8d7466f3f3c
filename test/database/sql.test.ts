import { describe, expect, it } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { type TestUser, worldOf } from '../support/world.js';

const LATER = `query ($task: ID!, $after: String) {
  task(id: $task) { completions(first: 1, after: $after) { nodes { points } pageInfo { hasPreviousPage } } }
}`;

const CALENDAR = '{ me { calendar(from: "2026-11-01", to: "2026-11-30") { completionCount } } }';

type Work = (ana: TestUser, task: number, cursor: string) => Promise<unknown>;

const ways: [name: string, work: Work][] = [
  ...['user/profile', 'tasks/me', 'user-challenges', 'user-challenges/active', 'challenge-templates'].map(
    (path): [string, Work] => [`GET /api/${path}`, (ana) => ana.rest.get(`/api/${path}`)],
  ),
  ['POST /api/task-completions', (ana, id) => ana.completes({ id })],
  ...[
    '{ tasks { nodes { title completionCount } } }',
    '{ tasks { nodes { completions(first: 3) { nodes { points } } } } }',
    '{ challenges { nodes { progress { daysDone } } } }',
  ].map((query): [string, Work] => [query, (ana) => ana.query(query)]),
  [
    '{ task(id: …) { completions(first: 1, after: …) { nodes { points } pageInfo { hasPreviousPage } } } }',
    (ana, task, after) => ana.query(LATER, { task, after }),
  ],
  ['{ me { calendar(from: …, to: …) { completionCount } } }', (ana) => ana.query(CALENDAR)],
];

describe('The SQL of the hot paths', () => {
  it.each(ways)('of %s is what it was', async (_name, work) => {
    const { ana, ...here } = await worldOf('ana');
    const [task] = [await ana.hasTask(), await ana.hasTask()];
    for (const _time of [1, 2]) await ana.completes(task);
    await ana.hasAccepted();
    const { tasks } = await ana.query('{ tasks { nodes { completions(first: 1) { edges { cursor } } } } }');
    const { cursor } = tasks.nodes[0].completions.edges[0];
    expect(await statementsOf(here, () => work(ana, task.id, cursor))).toMatchSnapshot();
  });
});

it('A completion by GraphQL that is asked for its counts is the statement of REST, and answers what others do', async () => {
  const { ana, ...here } = await worldOf('ana');
  const task = await ana.hasTask({ points: 2.5 });
  const completing = (ofTask: string, ofUser: string) => `mutation {
    completeTask(taskId: ${task.id}) {
      isReplayed completion { id points } task { id points completionCount ${ofTask} }
      user { id points currentStreak maxStreak ${ofUser} }
    }
  }`;
  const ofRest = await statementsOf(here, () => ana.completes(task));
  expect(await statementsOf(here, () => ana.query(completing('', '')))).toEqual(ofRest);
  const { completeTask: few } = await ana.query(completing('', ''));
  const { completeTask: all } = await ana.query(completing('title', 'name'));
  expect(few.task).toEqual({ id: String(task.id), points: 2.5, completionCount: 3 });
  expect(few.user).toEqual({ id: ana.id, points: 7.5, currentStreak: 1, maxStreak: 1 });
  expect(all.task).toMatchObject({ ...few.task, completionCount: 4 });
  expect(all.user).toMatchObject({ ...few.user, points: 10 });
});
