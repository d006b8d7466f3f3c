import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Clock } from '../../base/clock.js';
import type { Page, PageRequest } from '../../database/cursor.js';
import type { Database } from '../../database/database.js';
import type { AccountService } from '../account/account.service.js';
import { announceChange } from '../account/progress.announcement.js';
import { renameSection, sectionAsWritten, setSection, shownSections } from './section.queries.js';
import type { ArchiveFilter } from './task.input.js';
import { type PlainTask, selectTasks, type TaskRow, type TaskTables } from './task.queries.js';
import { noTask } from './task.refusals.js';
import type { TaskService } from './task.service.js';
import {
  amongIds,
  inOwnOrder,
  type Neighbour,
  neighbourBehind,
  neighbourById,
  placeTask,
  plainInUse,
  renumberTasks,
} from './task-order.queries.js';

interface ListedTasks {
  archived: ArchiveFilter;
  /** Only these; all of them without it. */
  ids?: number[] | undefined;
  /** Whether no more of them is wanted than a plain task has. */
  isPlain?: boolean;
}

/** The order that a user gives the tasks. */
export class TaskOrderService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly accounts: AccountService,
    private readonly tasks: TaskService,
  ) {}

  page(
    userId: string,
    request: PageRequest,
    { archived, ids, isPlain = false }: ListedTasks,
  ): Page<PlainTask> {
    const list = ({ IN_USE: 'inUse', ARCHIVED: 'archived', ANY: 'all' } as const)[archived];
    const assertExists = () => this.accounts.assertExists(userId);
    if (ids) return amongIds[list].page(this.database, { userId, ids }, request, assertExists);
    const listed = isPlain && list === 'inUse' ? plainInUse : inOwnOrder[list];
    return listed.page(this.database, { userId }, request, assertExists);
  }

  /**
   * Behind another task; to the top if that is null. Archived tasks have a place among the others. What is left out
   * stays as it is.
   */
  async move(
    userId: string,
    id: number,
    {
      behindTaskId,
      section,
    }: { behindTaskId?: number | null | undefined; section?: string | null | undefined },
  ): Promise<TaskRow> {
    const moved = await this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      await this.accounts.lock(query, userId); // two moves at once would take the same place
      const task = await selectTasks(query, { userId }).where('id', '=', id).executeTakeFirst();
      if (!task) return undefined;
      const placed = behindTaskId === undefined ? task : await this.place(query, task, behindTaskId);
      const isElsewhere = section !== undefined && section !== task.section;
      if (isElsewhere) placed.section = await this.putInto(query, task, section);
      if (isElsewhere || placed !== task)
        await announceChange(query, {
          kind: 'TASK_MOVED',
          userId,
          at: this.clock.now(),
          ids: { taskId: id },
        });
      return placed;
    });
    return moved ?? this.tasks.refuse(id);
  }

  sections(userId: string): Promise<string[]> {
    return this.database.run(shownSections, { userId }).then((rows) => rows.map(({ section }) => section));
  }

  /** All tasks of a section to another, or to none. Answers how many. */
  renameSection(userId: string, names: { name: string; newName: string | null }): Promise<number> {
    return this.database.transaction(async (tx) => {
      const query = tx.getKysely<TaskTables>();
      await this.accounts.lock(query, userId);
      const renamed = await renameSection(query, userId, names);
      if (renamed.length > 0)
        await announceChange(query, {
          ...{ kind: 'TASK_CHANGED', userId, at: this.clock.now() },
          ...{ ids: { changedAll: true }, ofEach: renamed },
        });
      return renamed.length;
    });
  }

  private async putInto(query: Kysely<TaskTables>, task: TaskRow, section: string | null) {
    const written = (await sectionAsWritten(query, task.userId, section)) ?? null;
    await setSection(query, task, written);
    return written;
  }

  /** The task that was given, if it stays where it is. */
  private async place(query: Kysely<TaskTables>, task: TaskRow, after: number | null): Promise<TaskRow> {
    const { userId, id } = task;
    if (id === after) return task;
    const before = after === null ? undefined : await neighbourById(query, userId, after);
    if (after !== null && !before) throw noTask('behindTaskId');
    const behind = await neighbourBehind(query, userId, before);
    if (behind?.id === id) return task;
    const placed = await placeTask(query, task, placeBetween(before, behind, this.clock.now()));
    if (placed?.isCrowded) await renumberTasks(query, userId);
    return placed?.task ?? task;
  }
}

/** Ranks that are not whole cannot meet an id, which is the rank of what was never moved. */
function placeBetween(
  before: Neighbour | undefined,
  behind: Neighbour | undefined,
  now: Date,
): { at: Date; rank: RawBuilder<unknown> } {
  if (!before) return { at: behind?.at ?? now, rank: sql`floor(${behind?.rank ?? '1'}::numeric) - 0.5` };
  const { at, rank } = before;
  const next = sql`floor(${rank}::numeric) + 1`;
  if (behind?.at.getTime() === at.getTime()) return { at, rank: middle(rank, sql`${behind.rank}::numeric`) };
  if (behind) return { at, rank: sql`${next} + 0.5` };
  // Last of all, but before whatever is made from now on.
  return at < now ? { at: now, rank: sql`0.5` } : { at, rank: middle(rank, next) };
}

const middle = (low: string, high: RawBuilder<unknown>) => sql`(${low}::numeric + ${high}) * 0.5`;
