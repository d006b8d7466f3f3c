import { connectionOf } from '../graphql/connection.js';
import { Task } from './task.entity.js';
import type { TaskRow } from './task.queries.js';

export const TaskConnection = connectionOf<TaskRow>(Task);
