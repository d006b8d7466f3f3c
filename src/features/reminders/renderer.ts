import { sql } from 'kysely';
import type { Config } from '../../base/config.js';
import { languageFor } from '../../base/languages/choice.js';
import { isOneOf } from '../../database/columns.js';
import type { Database } from '../../database/database.js';
import type { AccountService } from '../account/account.service.js';
import type { SignedLinks } from '../check-in/signed-links.js';
import { selectTasks, type TaskTables } from '../habits/task.queries.js';
import { place } from '../habits/task-order.queries.js';
import type { TaskDaysService } from '../history/calendar/task-days.service.js';
import type { UserDaysService } from '../history/streaks/user-days.service.js';
import type { Notice } from './channels/message.js';
import type { Shown, TakenMessage } from './message.queries.js';
import { noticeOf, type OpenTask } from './notice.js';

interface Services {
  database: Database;
  accounts: AccountService;
  days: UserDaysService;
  taskDays: TaskDaysService;
  links: SignedLinks;
  config: Pick<Config, 'publicUrl'>;
}

type Asked = Pick<TakenMessage, 'userId' | 'isOfDay' | 'taskIds' | 'ringsAt'>;

/** Finds out what a message has to say, by the statements that lists use. */
export class Renderer {
  constructor(private readonly services: Services) {}

  /** Undefined if nothing that it would name asks for anything any more. */
  async noticeFor(message: TakenMessage): Promise<Notice | undefined> {
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

  /** Those of the tasks that messages of one day of the user's name which still ask for something on it. */
  async openTasksOf(messages: readonly Shown[]): Promise<Set<number>> {
    const [message] = messages;
    if (!message) return new Set();
    const taskIds = [...new Set(messages.flatMap((each) => each.taskIds))];
    const open = await this.openOf({ ...message, isOfDay: false, taskIds });
    return new Set(open.map(({ task }) => task.id));
  }

  /**
   * The tasks in use that it is about and that ask for something on its day, in the order of the user. That of the day
   * leaves out what can be done later in the week or month: so does the list of the day.
   */
  private async openOf({ userId, isOfDay, taskIds, ringsAt }: Asked): Promise<OpenTask[]> {
    const { database, taskDays } = this.services;
    const inUse = selectTasks(database.query<TaskTables>(), { userId }).where('archived_at', 'is', null);
    const asked = isOfDay ? inUse : inUse.where(isOneOf('id', taskIds));
    const tasks = await asked.orderBy(sql`${place}`).execute();
    const ids = tasks.map((task) => task.id);
    const { streaks, todays } = await taskDays.of(userId, { streaks: ids, todays: ids, at: ringsAt });
    return tasks.flatMap((task) => {
      const [today, streak] = [todays.get(task.id), streaks.get(task.id)];
      const isNamed = !isOfDay || taskIds.includes(task.id);
      const isAsked = today?.isOpen && (isNamed || !today.mayWait());
      return isAsked && streak ? [{ task, today, streak }] : [];
    });
  }
}
