import { connectionOf } from '../graphql/connection.js';
import { Task } from './task.entity.js';

export const TaskConnection = connectionOf(Task);
