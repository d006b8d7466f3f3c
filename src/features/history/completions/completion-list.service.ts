import { sql } from 'kysely';
import { invalid } from '../../../base/errors.js';
import type { Page, PageRequest, Pages } from '../../../database/cursor.js';
import type { Database } from '../../../database/database.js';
import type { AccountService } from '../../account/account.service.js';
import type { Day } from '../../schedules/day.js';
import {
  type BetweenDays,
  COUNTED_BYTES,
  type CompletionRow,
  type CompletionTables,
  completions,
  countOnDays,
  EVER,
  filteredCompletions,
} from './completion-list.queries.js';

/** The user's days, both included, and the task. Null: any. */
export interface CompletionFilter {
  from?: Day | null;
  to?: Day | null;
  taskId?: number | null;
}

/** Lists of completions, newest first. */
export class CompletionListService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountService,
  ) {}

  page(
    userId: string,
    request: PageRequest,
    { taskId = null, from = null, to = null }: CompletionFilter = {},
  ): Page<CompletionRow> {
    const whenEmpty = () => this.accounts.assertExists(userId);
    if (from === null && to === null && taskId === null) {
      const page = completions.newestFirst.page(this.database, { userId }, request, whenEmpty);
      return { ...page, total: () => this.countAll(userId) };
    }
    if (from !== null && to !== null && from > to) throw invalid('`from` must not be after `to`', 'from');
    const days = { userId, from: from ?? EVER.from, to: to ?? EVER.to };
    if (taskId !== null) return this.pageOfTask(taskId, days, request);
    const page = filteredCompletions.newestFirst.page(this.database, days, request, whenEmpty);
    return { ...page, total: () => this.count(days, null) };
  }

  private pageOfTask(taskId: number, days: BetweenDays, request: PageRequest): Page<CompletionRow> {
    const { after } = request;
    const pages = filteredCompletions.ofTask.pages(this.database, { ...days, taskId });
    return {
      rows: async () => {
        const rows = (await pages.rows([taskId], request)).get(taskId) ?? [];
        if (rows.length === 0) await this.accounts.assertExists(days.userId);
        return rows;
      },
      hasEarlier: async () => after !== undefined && (await pages.haveEarlier([taskId], after)).has(taskId),
      total: () => this.count(days, taskId),
      positionOf: pages.positionOf,
    };
  }

  private async count(days: BetweenDays, taskId: number | null): Promise<number> {
    const count = await countOnDays(this.database.query<CompletionTables>(), days, taskId);
    this.database.noteRead(count * COUNTED_BYTES);
    if (count === 0) await this.accounts.assertExists(days.userId);
    return count;
  }

  /** The completions of each task, newest first. A task stores their number itself. */
  pagesOfTasks(userId: string): Pages<CompletionRow> {
    return completions.ofTasks.pages(this.database, { userId });
  }

  /** Adds up the counts of the tasks, since the history may be long. */
  private async countAll(userId: string): Promise<number> {
    const { total } = await this.database
      .query<CompletionTables>()
      .selectFrom('tasks')
      .where('user_id', '=', userId)
      .select(sql<number>`coalesce(sum(completion_count), 0)::int`.as('total'))
      .executeTakeFirstOrThrow();
    if (total === 0) await this.accounts.assertExists(userId);
    return total;
  }
}
