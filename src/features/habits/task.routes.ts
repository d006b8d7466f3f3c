import { rowId } from '../../base/validation.js';
import { AT, route, SENDER } from '../../rest/route.js';
import {
  flag,
  inside,
  instant,
  longListOf,
  number,
  OWNER,
  objectOf,
  optionalText,
  optionalWhole,
  text,
  uuid,
  whole,
} from '../../rest/serializer.js';
import { noActiveChallenge, noTemplate } from '../challenges/challenge.refusals.js';
import { Task } from './task.entity.js';
import { CreateTaskInput, UpdateTaskInput } from './task.input.js';
import type { PlainTask } from './task.queries.js';
import { noTask, taskOfAnother, tooManyTasks } from './task.refusals.js';
import type { TaskService } from './task.service.js';

const taskSerializer = objectOf<PlainTask>('Task', Task, {
  id: whole((task) => task.id),
  user_id: uuid((task) => task.userId, OWNER),
  challenge_template_id: optionalWhole(
    (task) => task.challengeTemplateId,
    'The id of the template that the task is linked to; null if there is none.',
  ),
  title: text((task) => task.title),
  description: optionalText((task) => task.description),
  points: number((task) => task.points),
  is_daily_routine: flag((task) => task.isDailyRoutine),
  created_at: instant((task) => task.createdAt),
  updated_at: instant((task) => task.updatedAt),
});

const countedTaskSerializer = objectOf<PlainTask>(
  'CountedTask',
  Task,
  {
    task: inside((task) => task, taskSerializer),
    completion_count: whole((task) => task.completionCount),
  },
  'A task, and how many times it has been completed.',
);

const task = {
  id: 1,
  user_id: SENDER,
  challenge_template_id: null,
  title: 'Swim 1 km',
  description: 'Before breakfast',
  points: 15,
  is_daily_routine: true,
  created_at: AT,
  updated_at: AT,
};

export const taskRoutes = (tasks: TaskService) => [
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
    example: {
      body: { title: 'Swim 1 km', points: 15, description: 'Before breakfast', isDailyRoutine: true },
      wrong: [{ points: 0 }, { title: '' }],
      answer: task,
    },
    handle: async ({ userId, body }) => (await tasks.create(userId, body)).task,
  }),
  route({
    method: 'get',
    path: '/tasks/me',
    summary: 'List your tasks with their completion counts, oldest first',
    access: 'READ',
    status: 200,
    answer: longListOf(countedTaskSerializer),
    example: { answer: [{ task, completion_count: 0 }] },
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
    example: {
      body: { title: 'Swim 2 km', points: 30 },
      wrong: [{ points: 0 }, { title: '' }],
      answer: { ...task, title: 'Swim 2 km', points: 30 },
    },
    handle: ({ userId, params, body }) => tasks.update(userId, rowId(params.taskId ?? ''), body),
  }),
];
