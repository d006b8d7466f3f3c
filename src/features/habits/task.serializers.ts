import {
  flag,
  inside,
  instant,
  number,
  OWNER,
  objectOf,
  optionalText,
  optionalWhole,
  text,
  uuid,
  whole,
} from '../../rest/serializer.js';
import { Task } from './task.entity.js';
import type { PlainTask } from './task.queries.js';

export const taskSerializer = objectOf<PlainTask>('Task', Task, {
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

export const countedTaskSerializer = objectOf<PlainTask>(
  'CountedTask',
  Task,
  {
    task: inside((task) => task, taskSerializer),
    completion_count: whole((task) => task.completionCount),
  },
  'A task, and how many times it has been completed.',
);
