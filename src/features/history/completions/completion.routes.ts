import { AT, FIRST_ID, route, SENDER } from '../../../rest/route.js';
import { keyReused, noTask, taskArchived, taskOfAnother } from '../../habits/task.refusals.js';
import { CompleteTaskInput } from './completion.input.js';
import { completionSerializer } from './completion.serializer.js';
import type { CompletionService, CountedResult } from './completion.service.js';

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
