import type { AccountService } from '../accounts/account.service.js';
import type { ChallengeService } from '../challenges/challenge.service.js';
import type { TemplateService } from '../challenges/template.service.js';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import type { Database } from '../database/database.js';
import { UserDaysService } from '../streaks/user-days.service.js';
import { UserCalendarFields } from './calendar.resolver.js';
import { CalendarService } from './calendar.service.js';
import { ChallengeTaskFields } from './challenge-fields.resolver.js';
import { ChallengeProgressService } from './challenge-progress.service.js';
import { CompletionFields, CompletionResolver } from './completion.resolver.js';
import { CompletionService } from './completion.service.js';
import { CompletionListService } from './completion-list.service.js';
import { ProgressChangeResolver } from './progress-change.resolver.js';
import { TaskFields, TaskResolver } from './task.resolver.js';
import { TaskService } from './task.service.js';
import { TaskDayFields } from './task-days.resolver.js';
import { TaskDaysService } from './task-days.service.js';
import { TaskOrderService } from './task-order.service.js';

interface Foundation {
  database: Database;
  clock: Clock;
  accounts: AccountService;
  challenges: ChallengeService;
  config: Config;
}

/** The services of this folder, and the days that they count by. */
export function taskServicesOn({ database, clock, accounts, challenges, config }: Foundation) {
  const tasks = new TaskService(database, clock, accounts, challenges);
  const days = new UserDaysService(database, clock);
  const completions = new CompletionService(database, clock, accounts, tasks, days, config);
  return {
    tasks,
    order: new TaskOrderService(database, clock, accounts, tasks),
    days,
    completions,
    lists: new CompletionListService(database, accounts),
    taskDays: new TaskDaysService(database, clock),
    progress: new ChallengeProgressService(database, days),
    calendars: new CalendarService(database, days),
  };
}

interface Services extends ReturnType<typeof taskServicesOn> {
  accounts: AccountService;
  templates: TemplateService;
}

export const taskResolversOn = (services: Services) => {
  const { accounts, templates, tasks, order, completions, lists, taskDays, progress, calendars } = services;
  return [
    new TaskResolver(tasks, order),
    new TaskFields(templates, lists),
    new TaskDayFields(taskDays, calendars),
    new CompletionResolver(completions, lists, tasks, accounts, calendars),
    new CompletionFields(tasks),
    new ProgressChangeResolver(accounts, tasks, completions),
    new ChallengeTaskFields(tasks, progress),
    new UserCalendarFields(calendars),
  ];
};
