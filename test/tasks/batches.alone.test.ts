import { expect, it } from 'vitest';
import { rowsOfEach } from '../../src/features/habits/batches.js';
import type { TaskRow } from '../../src/features/habits/task.queries.js';
import type { Context } from '../../src/graphql/context.js';

it('The rows of many tasks are handed out without a look at each row for each task, and each task is asked for once', async () => {
  let looks = 0;
  const rowOf = (id: number) => ({
    get taskId() {
      looks += 1;
      return id;
    },
  });
  const [tasks, times] = [100, 20];
  const rows = Array.from({ length: 1_000 }, (_, index) => rowOf(index % tasks));
  const asked: number[][] = [];
  const find = async (_userId: string, ids: number[]) => {
    asked.push(ids);
    return rows;
  };
  const [context, ofTasks] = [{} as Context, rowsOfEach(find)];
  const keys = Array.from({ length: tasks * times }, (_, index) => ({ id: index % tasks, userId: 'ana' }));
  const found = await Promise.all(keys.map((key) => ofTasks(context, key as TaskRow)));
  expect(found.map((each) => each.length)).toEqual(keys.map(() => 10));
  expect(asked.map((ids) => ids.length)).toEqual([tasks]);
  expect(looks).toBeLessThanOrEqual(2 * rows.length);
});
