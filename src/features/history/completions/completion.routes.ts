import { AT, FIRST_ID, route, SENDER } from '../../../rest/route.js';
import { instant, objectOf, uuid, whole } from '../../../rest/serializer.js';
import { keyReused, noTask, taskArchived, taskOfAnother } from '../../habits/task.refusals.js';
import { Completion } from './completion.entity.js';
import { CompleteTaskInput } from './completion.input.js';
import type { CompletionService, CountedResult } from './completion.service.js';
import type { CompletionRow } from './completion-list.queries.js';

const completionSerializer = objectOf<CompletionRow>('TaskCompletion', Completion, {
  id: whole((completion) => completion.id),
  task_id: whole((completion) => completion.taskId, 'The id of the task that was done.'),
  user_id: uuid((completion) => completion.userId, 'The id of the user who did it.'),
  completed_at: instant((completion) => completion.completedAt),
});

const resultSerializer = {
  ...completionSerializer,
  write: ({ completion }: CountedResult) => completionSerializer.write(completion),
};

export const completionRoutes = (completions: CompletionService) => [
  route({
    method: 'post',
    path: '/task-completions',
    summary: 'Complete a task',
    access: 'COMPLETIONS',
    body: CompleteTaskInput,
    names: { task_id: 'taskId' },
    headers: { 'Idempotency-Key': 'idempotencyKey' },
    status: 201,
    answer: resultSerializer,
    answerHeaders: {
      'Idempotent-Replayed': {
        description: 'The key was used before: nothing was recorded again, and this is the first answer.',
        schema: { type: 'string', enum: ['true'] },
        of: ({ isReplayed }) => (isReplayed ? 'true' : undefined),
      },
    },
    refuses: [taskOfAnother(), taskArchived(), keyReused(), noTask()],
    example: {
      body: { taskId: FIRST_ID },
      wrong: [{ taskId: 'swim' }, { idempotencyKey: 'été' }],
      answer: { id: 1, task_id: 1, user_id: SENDER, completed_at: AT },
    },
    handle: ({ userId, body }) => completions.completeCounted(userId, body),
  }),
];
