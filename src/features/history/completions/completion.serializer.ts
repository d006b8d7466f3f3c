import { instant, objectOf, uuid, whole } from '../../../rest/serializer.js';
import { Completion } from './completion.entity.js';
import type { CompletionRow } from './completion-list.queries.js';

export const completionSerializer = objectOf<CompletionRow>('TaskCompletion', Completion, {
  id: whole((completion) => completion.id),
  task_id: whole((completion) => completion.taskId, 'The id of the task that was done.'),
  user_id: uuid((completion) => completion.userId, 'The id of the user who did it.'),
  completed_at: instant((completion) => completion.completedAt),
});
