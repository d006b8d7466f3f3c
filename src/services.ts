import { AccountResolver, SessionResolver } from './accounts/account.resolver.js';
import { AccountService } from './accounts/account.service.js';
import { ApiTokenResolver } from './accounts/api-token.resolver.js';
import { ApiTokenService } from './accounts/api-token.service.js';
import { Callers } from './accounts/callers.js';
import { deletionTime } from './accounts/deletion.js';
import { LoginLimit } from './accounts/login-limit.js';
import { Tokens } from './accounts/tokens.js';
import {
  CalendarDayFields,
  CompletedDayField,
  UndoneDayField,
  UserCalendarFields,
} from './calendar/calendar.resolver.js';
import { CalendarService } from './calendar/calendar.service.js';
import { TaskStatisticsFields } from './calendar/statistics.payloads.js';
import { TaskDayFields } from './calendar/task-days.resolver.js';
import { TaskDaysService } from './calendar/task-days.service.js';
import { TaskListResolver } from './calendar/task-list.resolver.js';
import {
  ChallengeProgressFields,
  ChallengeTaskFields,
} from './challenge-progress/challenge-fields.resolver.js';
import { ChallengeProgressService } from './challenge-progress/challenge-progress.service.js';
import {
  ChallengeChangeResolver,
  ChallengeFields,
  ChallengeResolver,
  UserChallengeFields,
} from './challenges/challenge.resolver.js';
import { ChallengeService } from './challenges/challenge.service.js';
import { TemplateResolver } from './challenges/template.resolver.js';
import { TemplateService } from './challenges/template.service.js';
import { ChannelResolver, UserChannels } from './channels/channel.resolver.js';
import { ChannelService } from './channels/channel.service.js';
import { Senders } from './channels/senders.js';
import { CheckInService } from './check-in/check-in.service.js';
import {
  CheckInLinkFields,
  CheckInLinkResolver,
  TaskCheckInLinks,
} from './check-in/check-in-link.resolver.js';
import { CheckInLinkService } from './check-in/check-in-link.service.js';
import { SignedLinks } from './check-in/signed-links.js';
import {
  CompletionFields,
  CompletionResolver,
  TaskCompletionFields,
} from './completions/completion.resolver.js';
import { CompletionService } from './completions/completion.service.js';
import { CompletionListService } from './completions/completion-list.service.js';
import { ProgressChangeResolver } from './completions/progress-change.resolver.js';
import { TaskDeletionResolver } from './completions/task-deletion.resolver.js';
import { TaskDeletionService } from './completions/task-deletion.service.js';
import { PauseFields, PauseResolver, TaskPauses, UserPauses } from './pauses/pause.resolver.js';
import { PauseService } from './pauses/pause.service.js';
import { MessageSender } from './reminders/message.sender.js';
import { ReminderJob } from './reminders/reminder.job.js';
import { TaskReminders, UserReminder } from './reminders/reminder.resolver.js';
import { ReminderService } from './reminders/reminder.service.js';
import { Renderer } from './reminders/renderer.js';
import { Withdrawals } from './reminders/withdrawals.js';
import { hasFreshLogIn } from './sign-in/identity.service.js';
import { mailOf, signInOn, signInResolvers } from './sign-in/services.js';
import type { Instance } from './startup/instance.js';
import { StreakFields, UserStreakFields } from './streaks/streak.resolver.js';
import { UserDaysService } from './streaks/user-days.service.js';
import { ExportService } from './takeout/export.service.js';
import { ImportService } from './takeout/import.service.js';
import { SectionResolver, UserSections } from './tasks/section.resolver.js';
import { TaskFields, TaskResolver } from './tasks/task.resolver.js';
import { TaskService } from './tasks/task.service.js';
import { TaskOrderService } from './tasks/task-order.service.js';

export function servicesOn(instance: Instance) {
  const { config, database, clock, passwords, secret, remember } = instance;
  const { databaseTime } = config.timeouts;
  const timeToDelete = deletionTime(databaseTime);
  const tokens = new Tokens(secret, clock);
  const callers = new Callers(database, clock, tokens, databaseTime);
  const limit = new LoginLimit(database, clock, config);
  const mail = mailOf(instance);
  const accounts = new AccountService(database, clock, passwords, tokens, callers, limit, {
    signUp: config.signUp,
    deletionTime: timeToDelete,
    remember,
    events: mail?.mails,
    hasFreshLogIn: (caller) => hasFreshLogIn(database, clock, caller),
  });
  const signIn = signInOn(instance, { accounts, callers, limit, mail });
  const templates = new TemplateService(database);
  const challenges = new ChallengeService(database, clock, accounts);
  const tasks = new TaskService(database, clock, accounts, challenges);
  const days = new UserDaysService(database, clock);
  const taskDays = new TaskDaysService(database, clock, days);
  const completions = new CompletionService(database, clock, accounts, tasks, days, config);
  const senders = new Senders(database, config);
  const signed = new SignedLinks(secret);
  return {
    ...signIn,
    callers,
    accounts,
    apiTokens: new ApiTokenService(database, clock, accounts, callers),
    templates,
    challenges,
    tasks,
    days,
    order: new TaskOrderService(database, clock, accounts, tasks),
    pauses: new PauseService(database, clock, accounts, tasks, days, config),
    completions,
    deletions: new TaskDeletionService(database, clock, accounts, tasks, timeToDelete),
    lists: new CompletionListService(database, accounts),
    taskDays,
    progress: new ChallengeProgressService(database, days),
    calendars: new CalendarService(database, days),
    exports: new ExportService(database, clock),
    senders,
    signed,
    channels: new ChannelService(database, clock, accounts, senders, config.loginWindow),
    reminders: new ReminderService(database),
    links: new CheckInLinkService(database, clock, accounts, tasks, config),
    checkIns: new CheckInService(database, clock, signed, tasks, completions, days, taskDays),
    imports: new ImportService(database, clock, templates),
  };
}

export type Services = ReturnType<typeof servicesOn>;

/** What rings and sends, on whichever processes are to do so. */
export function remindersOn(instance: Instance, services: Services) {
  const { database, clock, config, log } = instance;
  const { accounts, days, taskDays, senders, signed: links } = services;
  const renderer = new Renderer({ database, accounts, days, taskDays, links, config });
  return {
    job: new ReminderJob(database, clock, senders.kinds),
    sender: new MessageSender(database, clock, senders, renderer, log),
    close: () => senders.close(),
    withdrawals: new Withdrawals(database, senders, renderer, log, {
      clock,
      isOn: config.reminders === 'on',
    }),
  };
}

export type Reminders = ReturnType<typeof remindersOn>;

export const resolversOn = (services: Services) => {
  const { accounts, templates, challenges, days, pauses } = services;
  const { tasks, order, completions, lists, taskDays, progress, calendars } = services;
  return [
    new SessionResolver(accounts),
    new AccountResolver(accounts),
    ...signInResolvers(services, accounts),
    new ApiTokenResolver(services.apiTokens),
    new TemplateResolver(templates),
    new ChallengeResolver(challenges, accounts),
    new ChallengeChangeResolver(challenges, accounts),
    new ChallengeFields(templates),
    new UserChallengeFields(challenges),
    new UserStreakFields(days),
    new StreakFields(),
    new ChallengeProgressFields(),
    new TaskResolver(tasks, order),
    new TaskFields(templates),
    new SectionResolver(order, accounts),
    new UserSections(order),
    new TaskListResolver(order, taskDays),
    new TaskDayFields(taskDays, calendars),
    new PauseResolver(pauses, accounts),
    new PauseFields(tasks),
    new UserPauses(pauses),
    new TaskPauses(pauses),
    new CompletionResolver(completions, lists, tasks, accounts),
    new TaskDeletionResolver(services.deletions, accounts),
    new CompletionFields(tasks),
    new CheckInLinkResolver(services.links, tasks),
    new CheckInLinkFields(tasks),
    new TaskCheckInLinks(services.links),
    new ChannelResolver(services.channels, accounts),
    new UserChannels(services.channels),
    new TaskReminders(services.reminders),
    new UserReminder(services.reminders),
    new TaskCompletionFields(lists),
    new ProgressChangeResolver(accounts, tasks, completions),
    new ChallengeTaskFields(tasks, progress),
    new UserCalendarFields(calendars),
    new CalendarDayFields(calendars),
    new TaskStatisticsFields(),
    new CompletedDayField(calendars),
    new UndoneDayField(calendars),
  ];
};
