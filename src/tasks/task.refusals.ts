import { invalid, missing } from '../errors.js';
import { limits } from '../validation.js';

export const noTask = () => missing('Task');

export const taskOfAnother = () => invalid("This task doesn't belong to you", undefined, 'TASK_OF_ANOTHER');

export const taskArchived = () => invalid('This task is archived', undefined, 'TASK_ARCHIVED');

export const tooManyTasks = () => invalid(`You can have at most ${limits.tasks} tasks`);

/** `differs` says in what the earlier use of the key differs. */
export const keyReused = (differs = 'for another task') =>
  invalid(`Idempotency key was used ${differs}`, 'idempotencyKey', 'KEY_REUSED');

export const hasHistory = () =>
  invalid(
    'A goal cannot become a limit, nor a limit a goal, once the task has completions',
    'target',
    'HAS_HISTORY',
  );
