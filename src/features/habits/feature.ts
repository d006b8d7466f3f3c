import { feature, type ServicesOf } from '../../feature.js';
import type { Account } from '../account/feature.js';
import type { Challenges } from '../challenges/feature.js';
import { carriedTasks } from './carried.js';
import { habitsReasons } from './reasons.js';
import { SectionResolver, UserSections } from './section.resolver.js';
import { Task } from './task.entity.js';
import { TaskFields, TaskResolver } from './task.resolver.js';
import { taskRoutes } from './task.routes.js';
import { TaskService } from './task.service.js';
import { TaskOrderService } from './task-order.service.js';

export const habits = feature({
  reasons: habitsReasons,
  entities: [Task],
  carries: [carriedTasks],
  build({ database, clock }, { accounts, challenges, templates }: Account & Challenges) {
    const tasks = new TaskService(database, clock, accounts, challenges);
    const order = new TaskOrderService(database, clock, accounts, tasks);
    return {
      services: { tasks, order },
      resolvers: [
        new TaskResolver(tasks, order),
        new TaskFields(templates),
        new SectionResolver(order, accounts),
        new UserSections(order),
      ],
      routes: taskRoutes(tasks),
    };
  },
});

export type Habits = ServicesOf<typeof habits>;
