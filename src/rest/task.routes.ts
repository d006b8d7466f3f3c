import { noActiveChallenge, noTemplate } from '../challenges/challenge.refusals.js';
import { CompleteTaskInput } from '../completions/completion.input.js';
import type { CompletionService, RecordedCompletion } from '../completions/completion.service.js';
import { CreateTaskInput, UpdateTaskInput } from '../tasks/task.input.js';
import { keyReused, noTask, taskArchived, taskOfAnother, tooManyTasks } from '../tasks/task.refusals.js';
import type { TaskService } from '../tasks/task.service.js';
import { rowId } from '../validation.js';
import { route } from './route.js';
import { completionSerializer, countedTaskSerializer, longListOf, taskSerializer } from './serializers.js';

const completionResultSerializer = {
  ...completionSerializer,
  write: ({ completion }: RecordedCompletion) => completionSerializer.write(completion),
};

export const taskRoutes = (tasks: TaskService, completions: CompletionService) => [
  route({
    method: 'post',
    path: '/tasks',
    summary: 'Create a task',
    access: 'TASKS',
    body: CreateTaskInput,
    names: { is_daily_routine: 'isDailyRoutine', challenge_template_id: 'challengeTemplateId' },
    status: 201,
    answer: taskSerializer,
    refuses: [noActiveChallenge(), tooManyTasks(), noTemplate()],
    handle: async ({ userId, body }) => (await tasks.create(userId, body)).task,
  }),
  route({
    method: 'get',
    path: '/tasks/me',
    summary: 'List your tasks with their completion counts, oldest first',
    access: 'READ',
    status: 200,
    answer: longListOf(countedTaskSerializer),
    handle: ({ userId }) => tasks.list(userId),
  }),
  route({
    method: 'put',
    path: '/tasks/:taskId',
    idOf: 'task',
    summary: 'Update a task',
    access: 'TASKS',
    body: UpdateTaskInput,
    names: { is_daily_routine: 'isDailyRoutine' },
    status: 200,
    answer: taskSerializer,
    refuses: [taskOfAnother(), noTask()],
    handle: ({ userId, params, body }) => tasks.update(userId, rowId(params.taskId ?? ''), body),
  }),
  route({
    method: 'post',
    path: '/task-completions',
    summary: 'Complete a task',
    access: 'COMPLETIONS',
    body: CompleteTaskInput,
    names: { task_id: 'taskId' },
    headers: { 'Idempotency-Key': 'idempotencyKey' },
    status: 201,
    answer: completionResultSerializer,
    answerHeaders: ({ replayed }): Record<string, string> =>
      replayed ? { 'Idempotent-Replayed': 'true' } : {},
    refuses: [taskOfAnother(), taskArchived(), keyReused(), noTask()],
    handle: ({ userId, body }) => completions.completeAlone(userId, body),
  }),
];
