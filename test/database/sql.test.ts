import { describe, expect, it } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { type TestUser, worldOf } from '../support/world.js';

const LATER = `query ($task: ID!, $after: String) {
  task(id: $task) { completions(first: 1, after: $after) { nodes { points } pageInfo { hasPreviousPage } } }
}`;

interface Known {
  task: number;
  /** Of the newest completion of that task. */
  cursor: string;
}

const ways: [name: string, (ana: TestUser, known: Known) => Promise<unknown>][] = [
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
    '{ task(id: …) { completions(first: 1, after: …) { nodes { points } pageInfo { hasPreviousPage } } } }',
    (ana, { task, cursor }) => ana.query(LATER, { task: String(task), after: cursor }),
  ],
  [
    '{ challenges { nodes { progress { daysDone } } } }',
    (ana) => ana.query('{ challenges { nodes { progress { daysDone } } } }'),
  ],
  [
    '{ me { calendar(from: …, to: …) { completionCount } } }',
    (ana) => ana.query('{ me { calendar(from: "2026-11-01", to: "2026-11-30") { completionCount } } }'),
  ],
];

describe('The SQL of the hot paths', () => {
  it.each(ways)('of %s is what it was', async (_name, work) => {
    const { ana, ...here } = await worldOf('ana');
    const task = await ana.hasTask();
    await ana.hasTask();
    await ana.completes(task);
    await ana.completes(task);
    await ana.hasAccepted();
    const { tasks } = await ana.query('{ tasks { nodes { completions(first: 1) { edges { cursor } } } } }');
    const { cursor } = tasks.nodes[0].completions.edges[0];
    expect(await statementsOf(here, () => work(ana, { task: task.id, cursor }))).toMatchSnapshot();
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
  const ofRest = await statementsOf(here, () => ana.rest.post('/api/task-completions', { task_id: task.id }));
  const asked = await statementsOf(here, () => ana.query(completing('', '')));
  expect(asked).toEqual(ofRest);
  const { completeTask: few } = await ana.query(completing('', ''));
  const { completeTask: all } = await ana.query(completing('title', 'name'));
  expect(few.task).toEqual({ id: String(task.id), points: 2.5, completionCount: 3 });
  expect(few.user).toEqual({ id: ana.id, points: 7.5, currentStreak: 1, maxStreak: 1 });
  expect(all.task).toMatchObject({ ...few.task, completionCount: 4 });
  expect(all.user).toMatchObject({ ...few.user, points: 10 });
});
