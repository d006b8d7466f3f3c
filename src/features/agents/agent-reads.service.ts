import { isoOf } from '../../base/clock.js';
import { invalid, missing, type Refusal } from '../../base/errors.js';
import { rowId } from '../../base/validation.js';
import type { Page, Position } from '../../database/cursor.js';
import type { Database } from '../../database/database.js';
import type { AccountService } from '../account/account.service.js';
import type { TaskRow, TaskTables } from '../habits/task.queries.js';
import { noTask } from '../habits/task.refusals.js';
import type { TaskService } from '../habits/task.service.js';
import { neighbourById } from '../habits/task-order.queries.js';
import type { TaskOrderService } from '../habits/task-order.service.js';
import type { CalendarService, DayActivity } from '../history/calendar/calendar.service.js';
import { type AskedRange, rangeOn } from '../history/calendar/range.js';
import type { TaskDaysService } from '../history/calendar/task-days.service.js';
import type { CompletionService } from '../history/completions/completion.service.js';
import { newestFirst } from '../history/completions/completion-list.queries.js';
import type { CompletionListService } from '../history/completions/completion-list.service.js';
import { historyLimits } from '../history/limits.js';
import { zoneOf } from '../history/streaks/streak.js';
import type { UserDaysService } from '../history/streaks/user-days.service.js';
import { isLimit } from '../schedules/target.js';
import type { ExplainArgs, HistoryArgs, StatisticsArgs, TodayArgs } from './agents.input.js';
import {
  completionShape,
  dayShape,
  goalShape,
  habitShape,
  statisticsShape,
  streakShape,
  todayShape,
} from './answers.js';
import { explained } from './explanation.js';
import type { HabitNames } from './habit-names.js';
import { agentLimits } from './limits.js';

export interface ReadNeeds {
  accounts: AccountService;
  tasks: TaskService;
  order: TaskOrderService;
  days: UserDaysService;
  taskDays: TaskDaysService;
  calendars: CalendarService;
  completions: CompletionService;
  lists: CompletionListService;
}

/** Reads for agents what GraphQL shows too, in one answer each. */
export class AgentReads {
  constructor(
    private readonly database: Database,
    private readonly names: HabitNames,
    private readonly needs: ReadNeeds,
  ) {}

  async today(userId: string, { show, section, tag, ...asked }: TodayArgs) {
    const { accounts, days, order, taskDays } = this.needs;
    const filter = { today: show, section, tag };
    const isFiltered = Object.values(filter).some((value) => value != null);
    const ids = isFiltered ? (await taskDays.idsOfEach(userId, [filter]))[0] : undefined;
    const account = await accounts.get(userId);
    const [[now], [endsAt], page] = await Promise.all([
      days.ofAccounts([account]),
      days.endsOfToday([account]),
      this.pageOf(order, userId, { ...asked, ids }),
    ]);
    return {
      date: now?.today,
      endsAt: endsAt && isoOf(endsAt),
      timeZone: zoneOf(account),
      points: account.points,
      streak: now && streakShape(now.streak),
      ...(await this.standings(userId, page.tasks)),
      ...page.rest,
    };
  }

  async history(userId: string, { habit, from, to, first, after }: HistoryArgs) {
    const { lists, tasks } = this.needs;
    const task = habit == null ? null : await this.names.find(userId, habit, true);
    const position = await this.positionOfCompletion(userId, after ?? null);
    const request = requestOf(first, position);
    const page = lists.page(userId, request, { from, to, taskId: task?.id ?? null });
    const { rows, rest } = await read(page, request.first);
    const known = task
      ? [task]
      : await tasks.findMany(userId, [...new Set(rows.map(({ taskId }) => taskId))]);
    const byId = new Map(known.map((each) => [each.id, habitShape(each)]));
    return {
      completions: rows.flatMap((row) => {
        const habit = byId.get(row.taskId); // one that was deleted meanwhile took its completions along
        return habit ? [{ ...completionShape(row), habit }] : [];
      }),
      ...rest,
    };
  }

  async statistics(userId: string, { habit, by, first, after, ...asked }: StatisticsArgs) {
    const { calendars, days, order } = this.needs;
    if (habit == null && by != null) throw invalid('Weeks and months are told of one habit', 'by');
    const { today } = await days.of(userId);
    const hasRange = asked.from != null || asked.to != null || asked.last != null;
    const range = orThrow(
      rangeOn(today, hasRange ? asked : { last: agentLimits.statisticsDaysDefault }, 'Statistics'),
    );
    const page =
      habit == null
        ? await this.pageOf(order, userId, { first, after })
        : { tasks: [await this.names.find(userId, habit, true)], rest: WHOLE };
    const found = await calendars.statisticsOf(
      userId,
      page.tasks.map((task) => ({ task, ...range })),
    );
    return {
      ...range,
      habits: page.tasks.flatMap((task, at) => {
        const statistics = found[at];
        if (!statistics) return [];
        return {
          ...habitShape(task),
          ...goalShape(task),
          ...statisticsShape(orThrow(statistics), by ?? null),
        };
      }),
      ...page.rest,
    };
  }

  /** Explains that of a habit, or without one that of the user. */
  async explainStreak(userId: string, { habit }: ExplainArgs) {
    const range = { last: historyLimits.calendarDays };
    if (habit == null) return this.explainOwn(userId, range);
    const task = await this.names.find(userId, habit, true);
    const ids = { streaks: [task.id], todays: [task.id] };
    const { streaks, todays } = await this.needs.taskDays.of(userId, ids);
    const [streak, today] = [streaks.get(task.id), todays.get(task.id)];
    const [entries] = await this.needs.calendars.ofTasks(userId, [{ task, ...range }]);
    if (!streak || !today || !entries) throw noTask();
    const days = orThrow(entries);
    const nextDueOn = this.needs.taskDays.nextDueOn(task, today);
    const explanation = explained(streak, days, { isLimit: isLimit(task), nextDueOn });
    return {
      habit: { ...habitShape(task), ...goalShape(task) },
      streak: streakShape(streak),
      ...explanation,
      days: days.slice(-agentLimits.explainedDays).map(dayShape),
    };
  }

  private async explainOwn(userId: string, range: AskedRange) {
    const { accounts, calendars, days: userDays } = this.needs;
    const account = await accounts.get(userId);
    const [now] = await userDays.ofAccounts([account]);
    const [entries] = await calendars.ofUser(userId, [range]);
    if (!now || !entries) throw missing('User');
    const activity = orThrow(entries);
    const days = activity.map((day) => ({ ...day, state: null }));
    const explanation = explained(now.streak, days, { isLimit: false, nextDueOn: null });
    return {
      habit: null,
      streak: streakShape(now.streak),
      ...explanation,
      days: activity.slice(-agentLimits.explainedDays).map(userDayShape),
    };
  }

  /** Tells how habits stand, in the same words for every tool. */
  async standings(userId: string, some: readonly TaskRow[]) {
    const { taskDays } = this.needs;
    const ids = some.map(({ id }) => id);
    const { streaks, todays } = await taskDays.of(userId, { streaks: ids, todays: ids });
    return {
      habits: some.flatMap((task) => {
        const [streak, today] = [streaks.get(task.id), todays.get(task.id)];
        if (!streak || !today) return []; // deleted meanwhile
        const { section, tags, points } = task;
        return {
          ...habitShape(task),
          ...{ section, tags: tags ?? [], points, ...goalShape(task) },
          today: todayShape(today, taskDays.nextDueOn(task, today)),
          streak: streakShape(streak),
        };
      }),
    };
  }

  private async pageOf(
    order: TaskOrderService,
    userId: string,
    { first, after, ids }: Pick<TodayArgs, 'first' | 'after'> & { ids?: number[] | undefined },
  ) {
    const request = requestOf(first, await this.positionOfHabit(userId, after ?? null));
    const page = order.page(userId, request, { archived: 'IN_USE', ids });
    const { rows, rest } = await read(page, request.first);
    return { tasks: rows as TaskRow[], rest }; // not plain ones: they have every column
  }

  private async positionOfHabit(userId: string, id: string | number | null): Promise<Position | undefined> {
    if (id === null) return undefined;
    const found = await neighbourById(this.database.query<TaskTables>(), userId, rowId(id));
    if (!found) throw noTask();
    return { at: found.at, id: found.rank };
  }

  private async positionOfCompletion(
    userId: string,
    id: string | number | null,
  ): Promise<Position | undefined> {
    if (id === null) return undefined;
    const found = await this.needs.completions.find(userId, rowId(id));
    if (!found) throw missing('Completion');
    return newestFirst.positionOf(found);
  }
}

const WHOLE = { hasMore: false, after: null };

const requestOf = (first: number | null | undefined, after: Position | undefined) => ({
  first: first ?? agentLimits.rowsDefault,
  ...(after && { after }),
});

/** `after`: the id to ask for the next page with. */
async function read<Row extends { id: number }>(page: Page<Row>, first: number) {
  const found = await page.rows();
  const rows = found.slice(0, first);
  const hasMore = found.length > first;
  return { rows, rest: { hasMore, after: hasMore ? String(rows.at(-1)?.id) : null } };
}

function orThrow<Found extends object>(found: Found | Refusal): Found {
  if (found instanceof Error) throw found;
  return found;
}

const userDayShape = ({ date, completionCount, streakEffect }: DayActivity) => ({
  ...{ date, state: null, isDue: null, completionCount, amount: null, streakEffect },
});
