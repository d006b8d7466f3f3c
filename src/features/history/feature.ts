import { feature, type ServicesOf } from '../../feature.js';
import type { Account } from '../account/feature.js';
import type { Habits } from '../habits/feature.js';
import {
  CompletedDayField,
  TaskDayNotes,
  UndoneDayField,
  UserCalendarFields,
  UserDayFields,
} from './calendar/calendar.resolver.js';
import { CalendarService } from './calendar/calendar.service.js';
import { TaskStatisticsFields } from './calendar/statistics.payloads.js';
import { TaskDayFields, TaskTodayFields } from './calendar/task-days.resolver.js';
import { TaskDaysService } from './calendar/task-days.service.js';
import { TaskListResolver } from './calendar/task-list.resolver.js';
import { ChallengeTaskFields } from './challenge-progress/challenge-fields.resolver.js';
import { ChallengeProgressService } from './challenge-progress/challenge-progress.service.js';
import { carriedCompletions } from './completions/carried.js';
import { Completion } from './completions/completion.entity.js';
import {
  CompletionFields,
  CompletionResolver,
  TaskCompletionFields,
} from './completions/completion.resolver.js';
import { completionRoutes } from './completions/completion.routes.js';
import { CompletionService } from './completions/completion.service.js';
import { CompletionListService } from './completions/completion-list.service.js';
import { ProgressChangeResolver } from './completions/progress-change.resolver.js';
import { TaskDeletionResolver } from './completions/task-deletion.resolver.js';
import { TaskDeletionService } from './completions/task-deletion.service.js';
import { carriedPauses, carriedSkips } from './pauses/carried.js';
import { Pause } from './pauses/pause.entity.js';
import { PauseFields, PauseResolver, TaskPauses, UserPauses } from './pauses/pause.resolver.js';
import { PauseService } from './pauses/pause.service.js';
import { Skip } from './pauses/skip.entity.js';
import { historyReasons } from './reasons.js';
import { historySettings } from './settings.js';
import { StreakRun } from './streaks/run.entity.js';
import { StreakJob } from './streaks/streak.job.js';
import { UserStreakFields } from './streaks/streak.resolver.js';
import { streaksEachHour } from './streaks/streak.schedule.js';
import { UserDaysService } from './streaks/user-days.service.js';
import { historyMetrics } from './topics.js';

export const history = feature({
  settings: historySettings,
  reasons: historyReasons,
  entities: [Completion, StreakRun, Skip, Pause],
  commands: {
    'streaks-reset': () => import('./streaks/streaks-reset.command.js'),
    'streaks-verify': () => import('./streaks/streaks-verify.command.js'),
  },
  metrics: historyMetrics,
  carries: [carriedPauses, carriedSkips, carriedCompletions],
  build({ config, database, clock, log }, { accounts, tasks, order, timeToDelete }: Account & Habits) {
    const days = new UserDaysService(database, clock);
    const taskDays = new TaskDaysService(database, clock, days);
    const completions = new CompletionService(database, clock, accounts, tasks, days, config, log);
    const lists = new CompletionListService(database, accounts);
    const calendars = new CalendarService(database, days, tasks);
    const pauses = new PauseService(database, clock, accounts, tasks, days, config);
    const deletions = new TaskDeletionService(database, clock, accounts, tasks, timeToDelete);
    const progress = new ChallengeProgressService(database, days);
    return {
      services: { days, taskDays, completions, lists, calendars, pauses },
      resolvers: [
        new UserStreakFields(days),
        new ChallengeTaskFields(tasks, progress),
        new TaskListResolver(order, taskDays),
        new TaskDayFields(taskDays, calendars),
        new TaskStatisticsFields(),
        new UserCalendarFields(calendars),
        new TaskDayNotes(calendars),
        new UserDayFields(calendars),
        new TaskTodayFields(completions),
        new PauseResolver(pauses, accounts),
        new PauseFields(tasks),
        new UserPauses(pauses),
        new TaskPauses(pauses),
        new CompletionResolver(completions, lists, tasks, accounts),
        new CompletionFields(tasks),
        new TaskCompletionFields(lists),
        new TaskDeletionResolver(deletions, accounts),
        new ProgressChangeResolver(accounts, tasks, completions),
        new CompletedDayField(calendars),
        new UndoneDayField(calendars),
      ],
      routes: completionRoutes(completions),
      jobs: { byLeader: [streaksEachHour(new StreakJob(database, clock), { database, clock, log })] },
    };
  },
});

export type History = ServicesOf<typeof history>;
