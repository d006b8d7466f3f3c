import type { Refusal } from '../../base/errors.js';
import { grouped, rowsOf } from '../../graphql/batching.js';
import type { TaskRow } from './task.queries.js';
import { noTask } from './task.refusals.js';
import type { TaskService } from './task.service.js';

interface RowOfTask {
  userId: string;
  taskId: number;
}

/** Finds the task of each of many rows. One that is not there was deleted with its row, since that was read. */
export const taskOfEach = (tasks: TaskService) =>
  grouped(
    ({ userId }: RowOfTask) => userId,
    async (group): Promise<(TaskRow | Refusal)[]> => {
      const ids = group.map(({ taskId }) => taskId);
      const found = await rowsOf(ids, (distinct) => tasks.findMany(group[0].userId, distinct));
      return found.map((task) => task ?? noTask());
    },
  );

/** Finds the rows that each of many tasks has. */
export const rowsOfEach = <Row extends { taskId: number | null }>(
  find: (userId: string, ids: number[]) => Promise<Row[]>,
) =>
  grouped(
    ({ userId }: TaskRow) => userId,
    async (group) => {
      const ids = [...new Set(group.map(({ id }) => id))];
      const found = Map.groupBy(await find(group[0].userId, ids), ({ taskId }) => taskId);
      return group.map(({ id }) => found.get(id) ?? []);
    },
  );
