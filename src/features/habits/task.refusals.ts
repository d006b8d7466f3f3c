import { invalid, limitReached, missing, Refusal } from '../../base/errors.js';
import { habitLimits } from './limits.js';

export const noTask = (field?: string) => missing('Task', field);

export const taskOfAnother = (field?: string) =>
  new Refusal('invalid', 'TASK_OF_ANOTHER', "This task doesn't belong to you", { hidden: noTask(field) });

export const taskArchived = () => invalid('This task is archived', undefined, 'TASK_ARCHIVED');

export const tooManyTasks = () => limitReached(`You can have at most ${habitLimits.tasks} tasks`);

export const accountInUse = () =>
  invalid(
    'The account has tasks already: send the file with ?into=existing, or import it into an account without any',
    undefined,
    'ACCOUNT_NOT_EMPTY',
  );

/** `differs` says in what the earlier use of the key differs. */
export const keyReused = (differs = 'for another task') =>
  invalid(`Idempotency key was used ${differs}`, 'idempotencyKey', 'KEY_REUSED');

export const hasHistory = () =>
  invalid(
    'A goal cannot become a limit, nor a limit a goal, once the task has completions',
    'target',
    'HAS_HISTORY',
  );
