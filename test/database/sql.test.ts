import { expect, it } from 'vitest';
import { statementsOf } from '../support/statements.js';
import { worldOf } from '../support/world.js';

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
