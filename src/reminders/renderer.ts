import { sql } from 'kysely';
import type { AccountService } from '../accounts/account.service.js';
import type { TaskDaysService } from '../calendar/task-days.service.js';
import type { Notice } from '../channels/message.js';
import type { SignedLinks } from '../check-in/signed-links.js';
import type { Config } from '../config.js';
import { isOneOf } from '../database/columns.js';
import type { Database } from '../database/database.js';
import { languageFor } from '../languages/choice.js';
import type { UserDaysService } from '../streaks/user-days.service.js';
import { selectTasks, type TaskTables } from '../tasks/task.queries.js';
import { place } from '../tasks/task-order.queries.js';
import type { Claimed } from './message.queries.js';
import { noticeOf, type OpenTask } from './notice.js';

interface Services {
  database: Database;
  accounts: AccountService;
  days: UserDaysService;
  taskDays: TaskDaysService;
  links: SignedLinks;
  config: Pick<Config, 'publicUrl'>;
}

/** Finds out what a message has to say, by the statements that lists use. */
export class Renderer {
  constructor(private readonly services: Services) {}

  /** Undefined if nothing that it would name asks for anything any more. */
  async noticeFor(message: Claimed): Promise<Notice | undefined> {
    const { accounts, days, links, config } = this.services;
    const { id, userId, isOfDay } = message;
    const open = await this.openOf(message);
    const [first] = open;
    if (!first) return undefined;
    const account = await accounts.get(userId);
    const day = first.today.date;
    const [now] = isOfDay ? await days.ofAccounts([account]) : [];
    const runAtRisk = now?.streak.atRisk && now.today === day ? now.streak.count : null;
    const { publicUrl } = config;
    const linkOf = ({ id: taskId }: { id: number }) =>
      `${publicUrl}/check-in/${links.make({ userId, taskId, day })}`;
    const language = languageFor(account.language);
    return noticeOf(open, { id, day, language, isOfDay, runAtRisk, publicUrl, linkOf });
  }

  /** The tasks in use that it is about and that ask for something on its day, in the order of the user. */
  async openOf({ userId, isOfDay, taskIds, ringsAt }: Claimed): Promise<OpenTask[]> {
    const { database, taskDays } = this.services;
    const inUse = selectTasks(database.query<TaskTables>(), { userId }).where('archived_at', 'is', null);
    const asked = isOfDay ? inUse : inUse.where(isOneOf('id', taskIds.map(Number)));
    const tasks = await asked.orderBy(sql`${place}`).execute();
    const ids = tasks.map((task) => task.id);
    const { streaks, todays } = await taskDays.of(userId, { streaks: ids, todays: ids, at: ringsAt });
    return tasks.flatMap((task) => {
      const [today, streak] = [todays.get(task.id), streaks.get(task.id)];
      return today?.isOpen && streak ? [{ task, today, streak }] : [];
    });
  }
}
